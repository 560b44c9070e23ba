// The library MessagePack. By hand: ./bench page 07

#:property PublishAot=false
#:project ../client
#:project ../../serializers/MessagePackLibrary

Client.Start("messagepack", new Serializers.MessagePackLibrary());
