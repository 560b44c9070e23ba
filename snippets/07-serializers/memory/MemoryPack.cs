using Serializers;

public class MemoryPackable() : Serializing<PackableForecast>(new MemoryPackLibrary());

public class MemoryPackOfReadings() : Copying<Reading>(new MemoryPackReadings());
