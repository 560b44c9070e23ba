import http from 'node:http';

const server = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end('{"hello":"world"}'); // the text as it is: nothing is made into JSON
});

server.listen(process.env.PORT, '127.0.0.1');
