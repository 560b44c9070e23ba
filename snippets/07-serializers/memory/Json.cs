using Serializers;

public class Json() : Serializing<WeatherForecast>(new JsonReflection());

public class JsonGenerated() : Serializing<WeatherForecast>(new JsonSourceGenerated());

public class JsonOfReadings() : Copying<Reading>(new JsonReadings());
