import http from 'node:http';

const server = http.createServer((request, response) => {
  response.end('hello');
});

server.listen(process.env.PORT, '127.0.0.1');
