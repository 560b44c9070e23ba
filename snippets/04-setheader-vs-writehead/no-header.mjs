import http from 'node:http';

const server = http.createServer((request, response) => {
  response.end(JSON.stringify({ hello: 'world' })); // no content-type at all
});

server.listen(process.env.PORT, '127.0.0.1');
