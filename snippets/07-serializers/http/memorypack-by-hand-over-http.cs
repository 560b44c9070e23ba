#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
#:project exchange
#:project ../serializers/MemoryPackByHand

using Serializers;

await Exchange.Run(args, new MemoryPackByHand()); // server and client, see exchange/
