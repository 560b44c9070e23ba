import http from 'node:http';

const server = http.createServer((request, response) => {
  let number = 1;
  for (let i = 0; i < 10_000; i++) number = (number * 16807) % 2147483647; // the work
  let more = 1;
  for (let i = 0; i < 1_000; i++) more = (more * 16807) % 2147483647; // and 10 % of it again
  response.end(more ? String(number) : '');
});

server.listen(process.env.PORT, '127.0.0.1');
