import http from 'node:http';

const kept = new Array(20_000);
let next = 0;

const server = http.createServer((request, response) => {
  kept[next++ % kept.length] = Array.from({ length: 100 }, (_, i) => ({ i }));
  response.end('hello');
});

server.listen(process.env.PORT, '127.0.0.1');
