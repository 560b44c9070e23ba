import http from 'node:http';

const { STALL_MS = 1000, EVERY_MS = 10000 } = process.env;

const server = http.createServer((request, response) => {
  response.end('hello');
});

setInterval(() => {
  const end = performance.now() + Number(STALL_MS);
  while (performance.now() < end); // nobody is answered meanwhile, as in a long garbage collection
}, Number(EVERY_MS));

server.listen(process.env.PORT, '127.0.0.1');
