import http from 'node:http';

const { UNITS = 0 } = process.env;
const steps = 1500 + 40 * Number(UNITS); // a unit is about a hundredth of what a request costs

const server = http.createServer((request, response) => {
  let number = 1;
  for (let i = 0; i < steps; i++) number = (number * 16807) % 2147483647;
  response.end(number ? 'hello' : '');
});

server.listen(process.env.PORT, '127.0.0.1');
