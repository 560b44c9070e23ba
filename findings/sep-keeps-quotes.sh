#!/bin/sh
# Sep 0.17.1 (CSV for .NET): a quoted field comes with its quotation marks.
#
# Guess: of "1,234.5 ns" the reader gives 1,234.5 ns, as RFC 4180 has it.
# Seen: the quotation marks are part of the text unless Unescape is set. A race of readers with its defaults compares one that
# unquotes with one that does not; of measured times only those with a comma differ.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:property PublishAot=false
#:package Sep@0.17.1
using nietras.SeparatedValues;

const string Text = "Method,Mean\nShort,12.5 ns\nLong,\"1,234.5 ns\"\n";
foreach (var unescape in new[] { false, true })
{
    using var reader = Sep.Reader(options => options with { Unescape = unescape }).FromText(Text);
    foreach (var row in reader) Console.WriteLine($"{unescape} {row["Mean"].ToString()}");
}
CS
seen=$(dotnet run -c Release app.cs)
expected='False 12.5 ns
False "1,234.5 ns"
True 12.5 ns
True 1,234.5 ns'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
