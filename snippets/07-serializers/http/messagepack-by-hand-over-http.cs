#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:project exchange
#:project ../serializers/MessagePackByHand

using Serializers;

await Exchange.Run(args, new MessagePackByHand()); // server and client, see exchange/
