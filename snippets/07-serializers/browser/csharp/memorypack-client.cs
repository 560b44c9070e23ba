// The library MemoryPack. By hand: ./bench page 07

#:property PublishAot=false
#:project ../client
#:project ../../serializers/MemoryPackLibrary

Client.Start("memorypack", new Serializers.MemoryPackLibrary());
