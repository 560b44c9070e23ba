// Reads MemoryPack: values follow one another as they lie in .NET's memory, little-endian.
//
// Where the bytes end too early, DataView and Uint8Array throw a RangeError.

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const UTF16 = new TextDecoder('utf-16le', { fatal: true });
const EPOCH = 62_135_596_800_000; // milliseconds from the year 1 to 1970

export class MemoryPackReader {
  #buffer;
  #view;
  #at = 0;

  constructor(buffer) {
    this.#buffer = buffer;
    this.#view = new DataView(buffer);
  }

  byte() {
    return this.#view.getUint8(this.#at++);
  }

  int32() {
    this.#at += 4;
    return this.#view.getInt32(this.#at - 4, true);
  }

  bytes(length) {
    this.#at += length;
    return new Uint8Array(this.#buffer, this.#at - length, length);
  }

  // 2 bits for the kind of date (taken for UTC), 62 that count 100 ns since the year 1: too many
  // for a number, hence in two halves.
  date() {
    const low = this.int32() >>> 0;
    const high = this.int32() & 0x3fffffff;
    const rest = Math.floor(((high % 10_000) * 2 ** 32 + low) / 10_000);
    return new Date(Math.floor(high / 10_000) * 2 ** 32 + rest - EPOCH);
  }

  // −1: null; below it: ~bytes of UTF-8, with the length in UTF-16 before them; else UTF-16.
  string() {
    const length = this.int32();
    if (length === -1) return null;
    if (length >= 0) return UTF16.decode(this.bytes(2 * length));
    this.int32();
    return UTF8.decode(this.bytes(~length));
  }

  // −1 is null; each element has at least a byte, so a length beyond the end is met with an error.
  array(element) {
    const length = this.int32();
    if (length === -1) return null;
    if (length < 0) throw new RangeError(`an array of ${length}`);
    const found = [];
    while (found.length < length) found.push(element());
    return found;
  }
}
