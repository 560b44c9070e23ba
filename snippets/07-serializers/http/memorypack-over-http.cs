#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:project exchange
#:project ../serializers/MemoryPackLibrary

using Serializers;

await Exchange.Run(args, new MemoryPackLibrary()); // server and client, see exchange/
