#!/bin/sh
# ASP.NET Core 10: a TimeSpan in the query that is a plain number is a number of days.
#
# Guess: ?timeout=5 is refused for want of a unit, or is five seconds; ?timeout=24:00 is a day.
# Seen: five days, with status 200; 1:30 is an hour and a half, and 24:00 is 400. A load test that asks for "a delay of 5"
# waits.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >app.cs <<'CS'
#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
var builder = WebApplication.CreateBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
var app = builder.Build();
app.MapGet("/", (TimeSpan timeout) => $"{timeout}");
await app.StartAsync();
using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
foreach (var timeout in new[] { "5", "1:30", "24:00" })
{
    using var answer = await client.GetAsync($"/?timeout={timeout}");
    Console.WriteLine($"{timeout} {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}".Trim());
}
CS
seen=$(dotnet run -c Release app.cs)
expected='5 200 5.00:00:00
1:30 200 01:30:00
24:00 400'
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || {
  printf 'This has changed. It was:\n%s\n' "$expected"
  exit 1
}
