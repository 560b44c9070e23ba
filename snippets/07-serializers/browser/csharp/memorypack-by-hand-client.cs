// MemoryPack, written by hand. By hand: ./bench page 07

#:property PublishAot=false
#:project ../client
#:project ../../serializers/MemoryPackByHand

Client.Start("memorypack", new Serializers.MemoryPackByHand());
