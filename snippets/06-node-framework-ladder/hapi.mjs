import Hapi from '@hapi/hapi';

const server = Hapi.server({ port: process.env.PORT, host: '127.0.0.1', debug: false });

server.route({
  method: 'GET',
  path: '/',
  options: { cache: false, response: { ranges: false }, state: { parse: false } }, // what a benchmark can do without
  handler: () => ({ hello: 'world' }),
});

await server.start();
