import http from 'node:http';

const server = http.createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }); // made into text at once, not kept
  response.end(JSON.stringify({ hello: 'world' }));
});

server.listen(process.env.PORT, '127.0.0.1');
