// GetFromJsonAsync, as Blazor's template has it: GET and decode in one call. By hand: ./bench page 07

#:property PublishAot=false
#:project ../client
#:project ../../serializers/Contract

using System.Net.Http.Json;
using Serializers;

Client.Start<WeatherForecast>("json", (http, url) => http.GetFromJsonAsync<WeatherForecast?[]>(url)); // reads while bytes still come
