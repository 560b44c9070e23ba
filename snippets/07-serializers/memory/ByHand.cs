using Serializers;

public class MessagePackHand() : Serializing<WeatherForecast>(new MessagePackByHand());

public class MessagePackNamesHand() : Serializing<WeatherForecast>(new MessagePackByHand(names: true));

public class MemoryPackHand() : Serializing<WeatherForecast>(new MemoryPackByHand());
