#!/bin/sh
# ASP.NET Core 10: a decimal comma in a path or a query makes a number ten times as large.
#
# Guess: {x:double} refuses 1,5, as {x:int} refuses 1,000; or, where the machine's culture has commas, it is 1.5.
# Seen: 15, of a parameter of a minimal API in the query, too, and of a decimal: the comma counts as one of thousands, wherever
# it stands. A strict binder and this one are not the same work, and both answer 200.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
using System.Globalization;

var builder = WebApplication.CreateBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
var app = builder.Build();
app.MapGet("/int/{x:int}", (int x) => $"{x}");
app.MapGet("/double/{x:double}", (double x) => x.ToString(CultureInfo.InvariantCulture));
app.MapGet("/decimal", (decimal x) => x.ToString(CultureInfo.InvariantCulture));
await app.StartAsync();
using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
foreach (var path in new[] { "/int/1,000", "/double/1.5", "/double/1,5", "/decimal?x=1,5" })
{
    using var answer = await client.GetAsync(path);
    Console.WriteLine($"{path} {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}".Trim());
}
CS
seen=$(dotnet run -c Release app.cs)
expected='/int/1,000 404
/double/1.5 200 1.5
/double/1,5 200 15
/decimal?x=1,5 200 15'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
