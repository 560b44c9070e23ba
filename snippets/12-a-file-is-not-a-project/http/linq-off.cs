#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

using System.Text.Json.Serialization;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);
builder.Services.ConfigureHttpJsonOptions(json => json.SerializerOptions.TypeInfoResolver = Answers.Default);

var app = builder.Build();

Person[] people = [.. Enumerable.Range(0, 1000).Select(i => new Person(i * 7919 % 1000, $"name {i}"))];
people[0] = new Person(0, "world");

app.MapGet("/", () => new Answer(people.OrderBy(person => person.Age).First().Name)); // the youngest

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

record Answer(string Hello);

[JsonSerializable(typeof(Answer))]
partial class Answers : JsonSerializerContext;

record Person(int Age, string Name);
