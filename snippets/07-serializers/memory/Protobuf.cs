using Serializers;

public class Protobuf() : Serializing<ProtobufForecast>(new ProtobufLibrary());
