import http from 'node:http';

const numbers = new Int32Array(16 * 1024 * 1024).map((_, i) => i); // 64 MiB: no cache holds them
let place = 1;

const server = http.createServer((request, response) => {
  let sum = 0;
  for (let i = 0; i < 200; i++) {
    place = (place * 1664525 + 1013904223) & 0xffffff;
    sum += numbers[place];
  }
  response.end(sum >= 0 ? 'hello' : '');
});

server.listen(process.env.PORT, '127.0.0.1');
