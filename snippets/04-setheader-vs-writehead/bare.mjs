import http from 'node:http';

const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json; charset=utf-8'); // kept, so that it can be read or changed
  response.end(JSON.stringify({ hello: 'world' }));
});

server.listen(process.env.PORT, '127.0.0.1');
