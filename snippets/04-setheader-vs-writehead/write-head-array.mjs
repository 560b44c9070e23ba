import http from 'node:http';

const server = http.createServer((request, response) => {
  response.writeHead(200, ['content-type', 'application/json; charset=utf-8']); // name, value, name, value …
  response.end(JSON.stringify({ hello: 'world' }));
});

server.listen(process.env.PORT, '127.0.0.1');
