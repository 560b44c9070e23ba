#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:project exchange
#:project ../serializers/MessagePackLibrary

using Serializers;

await Exchange.Run(args, new MessagePackLibrary()); // server and client, see exchange/
