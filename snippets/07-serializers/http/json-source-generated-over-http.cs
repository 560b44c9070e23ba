#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:project exchange
#:project ../serializers/Json

using Serializers;

await Exchange.Run(args, new JsonSourceGenerated()); // server and client, see exchange/
