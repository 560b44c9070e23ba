import http from 'node:http';
import findMyWay from 'find-my-way';

const router = findMyWay({ defaultRoute: (request, response) => response.writeHead(404).end() });

for (let number = 0; number < process.env.PATHS; number++) {
  router.on('GET', `/items/${number}`, (request, response) => {
    response.setHeader('content-type', 'text/plain; charset=UTF-8');
    response.end('hello');
  });
}

const server = http.createServer((request, response) => {
  router.lookup(request, response); // down a tree of common beginnings
});

server.listen(process.env.PORT, '127.0.0.1');
