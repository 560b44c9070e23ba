import http from 'node:http';

const routes = [];

for (let number = 0; number < process.env.PATHS; number++) {
  const handler = (request, response) => {
    response.setHeader('content-type', 'text/plain; charset=UTF-8');
    response.end('hello');
  };
  routes.push({ pattern: new RegExp(`^/items/${number}$`), handler });
}

const server = http.createServer((request, response) => {
  const route = routes.find(({ pattern }) => pattern.test(request.url)); // one after the other, until one fits
  if (!route) return response.writeHead(404).end();
  route.handler(request, response);
});

server.listen(process.env.PORT, '127.0.0.1');
