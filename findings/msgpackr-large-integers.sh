#!/bin/sh
# msgpackr 2.1.4: a whole number over 32 bits is written as a double, which MessagePack 2.5.307 for C# refuses to read as a
# long.
#
# Guess: it is written as a 64-bit integer, as @msgpack/msgpack 3.1.3 does, and if not, a reader takes a double without a
# fraction for a long.
# Seen: cb42…, and an exception. A time stamp in milliseconds is such a number; tests with small ids pass.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --omit=optional msgpackr@2.1.4 @msgpack/msgpack@3.1.3
cat >look.mjs <<'JS'
import { encode } from '@msgpack/msgpack';
import { pack } from 'msgpackr';

for (const value of [2 ** 31, 2 ** 40]) {
  for (const bytes of [encode(value), pack(value)]) console.log(Buffer.from(bytes).toString('hex'));
}
JS
node look.mjs >bytes.txt
cat >app.cs <<'CS'
#:property PublishAot=false
#:package MessagePack@2.5.307
using MessagePack;

foreach (var line in File.ReadLines("bytes.txt"))
{
    try
    {
        Console.WriteLine($"{line} {MessagePackSerializer.Deserialize<long>(Convert.FromHexString(line))}");
    }
    catch (MessagePackSerializationException)
    {
        Console.WriteLine($"{line} refused");
    }
}
CS
seen=$(dotnet run -c Release app.cs)
expected='ce80000000 2147483648
ce80000000 2147483648
cf0000010000000000 1099511627776
cb4270000000000000 refused'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
