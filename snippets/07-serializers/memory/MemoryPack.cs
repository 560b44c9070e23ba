using Serializers;

public class MemoryPackable() : Serializing<PackableForecast>(new MemoryPackLibrary());
