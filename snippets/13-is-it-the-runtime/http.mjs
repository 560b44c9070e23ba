import http from 'node:http';

const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ hello: 'world' })); // the same file on Node.js, Deno and Bun
});

server.listen(process.env.PORT, '127.0.0.1');
