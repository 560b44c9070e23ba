using System.Text.Json.Serialization;

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(kestrel => kestrel.AddServerHeader = false);
builder.Services.ConfigureHttpJsonOptions(json => json.SerializerOptions.TypeInfoResolver = Answers.Default);

var app = builder.Build();

app.MapGet("/", () => new Answer("world"));

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");

record Answer(string Hello);

[JsonSerializable(typeof(Answer))]
partial class Answers : JsonSerializerContext;
