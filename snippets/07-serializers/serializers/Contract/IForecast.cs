// What is sent: the forecast of the Blazor template's demo. A library that wants attributes on the class has one of its own.

namespace Serializers;

public interface IForecast
{
    DateTime Date { get; set; }

    int TemperatureC { get; set; }

    string? Summary { get; set; }
}

public sealed class WeatherForecast : IForecast
{
    public DateTime Date { get; set; }

    public int TemperatureC { get; set; }

    public string? Summary { get; set; }
}
