import http from 'node:http';

const server = http.createServer((request, response) => {
  const body = JSON.stringify({ hello: 'world' });
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body), // known, so no chunked encoding is needed
  });
  response.end(body);
});

server.listen(process.env.PORT, '127.0.0.1');
