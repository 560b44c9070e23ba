import http from 'node:http';

const server = http.createServer((request, response) => {
  let number = 1;
  for (let i = 0; i < 10_000; i++) number = (number * 16807) % 2147483647; // the work
  response.end(String(number));
});

server.listen(process.env.PORT, '127.0.0.1');
