// MessagePack, written by hand. By hand: ./bench page 07

#:property PublishAot=false
#:project ../client
#:project ../../serializers/MessagePackByHand

Client.Start("messagepack", new Serializers.MessagePackByHand());
