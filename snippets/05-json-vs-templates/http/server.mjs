import http from 'node:http';
import { values } from '../values.mjs';

const { METHOD, SHAPE, PORT } = process.env;
const { [SHAPE]: json } = await import(`../${METHOD}.mjs`); // one of the four methods, for this shape
const [value] = values(SHAPE);

const server = http.createServer((request, response) => {
  const body = json(value);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
});

server.listen(PORT, '127.0.0.1');
