import http from 'node:http';

const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json; charset=utf-8'); // no route: every path gets this answer
  response.end(JSON.stringify({ hello: 'world' }));
});

server.listen(process.env.PORT, '127.0.0.1');
