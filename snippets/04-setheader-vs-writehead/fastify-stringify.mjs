import fastify from 'fastify';

const app = fastify();

app.get('/', (request, reply) => {
  reply.send(JSON.stringify({ hello: 'world' })); // a string, so Fastify calls it text/plain
});

app.listen({ port: process.env.PORT, host: '127.0.0.1' });
