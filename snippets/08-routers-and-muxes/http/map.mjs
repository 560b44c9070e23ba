import http from 'node:http';

const routes = new Map();

for (let number = 0; number < process.env.PATHS; number++) {
  routes.set(`/items/${number}`, (request, response) => {
    response.setHeader('content-type', 'text/plain; charset=UTF-8');
    response.end('hello');
  });
}

const server = http.createServer((request, response) => {
  const handler = routes.get(request.url); // one look-up, however many paths there are
  if (!handler) return response.writeHead(404).end();
  handler(request, response);
});

server.listen(process.env.PORT, '127.0.0.1');
