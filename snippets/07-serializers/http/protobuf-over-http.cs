#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:project exchange
#:project ../serializers/ProtobufLibrary

using Serializers;

await Exchange.Run(args, new ProtobufLibrary()); // server and client, see exchange/
