// JSON.parse, and a Date of each text that is one.

export const path = '/WeatherForecast';

export function decode(buffer) {
  const forecasts = JSON.parse(new TextDecoder().decode(buffer));
  for (const each of forecasts) each.date = new Date(each.date);
  return forecasts;
}
