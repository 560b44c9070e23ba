using Serializers;

public class MessagePackKeys() : Serializing<KeyedForecast>(new MessagePackLibrary());

public class MessagePackNames() : Serializing<NamedForecast>(new MessagePackNamesLibrary());

public class MessagePackOfReadings() : Copying<KeyedReading>(new MessagePackReadings());
