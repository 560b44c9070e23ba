#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT")}");
builder.WebHost.ConfigureKestrel(options =>
{
    options.AddServerHeader = false;
    options.AllowSynchronousIO = true;
});
builder.WebHost.UseSockets(options => options.MaxWriteBufferSize = 1 << 20); // so that no size has to wait
var app = builder.Build();
var body = new byte[int.Parse(Environment.GetEnvironmentVariable("SIZE") ?? "17")];

app.Run(context =>
{
    context.Response.ContentType = "application/octet-stream";
    context.Response.ContentLength = body.Length;
    return new OnlyWrite(context.Response.Body).WriteAsync(body, 0, body.Length); // Stream's own, as above
});

app.Run();

class OnlyWrite(Stream inner) : Stream
{
    public override void Write(byte[] buffer, int offset, int count) => inner.Write(buffer, offset, count);
    public override void Flush() => inner.Flush();
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();
    public override void SetLength(long value) => throw new NotSupportedException();
    public override bool CanRead => false;
    public override bool CanSeek => false;
    public override bool CanWrite => true;
    public override long Length => throw new NotSupportedException();
    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }
}
