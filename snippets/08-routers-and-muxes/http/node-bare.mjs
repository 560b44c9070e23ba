import http from 'node:http';

const paths = Number(process.env.PATHS);

const server = http.createServer((request, response) => {
  const number = parseInt(request.url.slice(request.url.lastIndexOf('/') + 1));
  if (!(number < paths)) return response.writeHead(404).end(); // no router: the number itself tells
  response.setHeader('content-type', 'text/plain; charset=UTF-8');
  response.end('hello');
});

server.listen(process.env.PORT, '127.0.0.1');
