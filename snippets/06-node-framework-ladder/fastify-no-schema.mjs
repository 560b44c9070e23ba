import fastify from 'fastify';

const app = fastify();

app.get('/', (request, reply) => {
  reply.send({ hello: 'world' }); // without a schema: JSON.stringify
});

app.listen({ port: process.env.PORT, host: '127.0.0.1' });
