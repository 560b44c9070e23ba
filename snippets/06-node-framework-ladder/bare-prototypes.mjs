import http from 'node:http';

const requests = Object.create(http.IncomingMessage.prototype);
const responses = Object.create(http.ServerResponse.prototype);

const server = http.createServer((request, response) => {
  Object.setPrototypeOf(request, requests); // as Express does, so that both have its methods
  Object.setPrototypeOf(response, responses);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify({ hello: 'world' }));
});

server.listen(process.env.PORT, '127.0.0.1');
