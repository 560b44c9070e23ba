// @msgpack/msgpack: a forecast comes as an array of three, without names.

import { decode as read } from '@msgpack/msgpack';

export const path = '/WeatherForecast/by-hand/messagepack';

export function decode(buffer) {
  return read(buffer).map(([date, temperatureC, summary]) => ({ date, temperatureC, summary }));
}
