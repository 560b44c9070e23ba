import { createHash } from 'node:crypto';
import http from 'node:http';

const server = http.createServer((request, response) => {
  let text = 'hello';
  for (let i = 0; i < 20; i++) text = createHash('sha256').update(text).digest('hex'); // the work
  response.end(text);
});

server.listen(process.env.PORT, '127.0.0.1');
