// MemoryPack by hand: nothing says what a value is but its place.

import { MemoryPackReader } from './memorypack-reader.mjs';

export const path = '/WeatherForecast/by-hand/memorypack';

export function decode(buffer) {
  const reader = new MemoryPackReader(buffer);
  return reader.array(() => {
    const members = reader.byte();
    if (members === 255) return null;
    if (members !== 3) throw new RangeError(`a forecast of ${members} members instead of 3`);
    return { date: reader.date(), temperatureC: reader.int32(), summary: reader.string() };
  });
}
