import http from 'node:http';

const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.removeHeader('connection'); // and Keep-Alive goes with it; HTTP/1.1 keeps the connection all the same
  response.end(JSON.stringify({ hello: 'world' }));
});

server.listen(process.env.PORT, '127.0.0.1');
