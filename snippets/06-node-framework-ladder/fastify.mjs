import fastify from 'fastify';

const app = fastify();
const hello = { type: 'object', properties: { hello: { type: 'string' } } };

app.get('/', { schema: { response: { 200: hello } } }, (request, reply) => {
  reply.send({ hello: 'world' }); // turned into JSON by a function compiled from the schema
});

app.listen({ port: process.env.PORT, host: '127.0.0.1' });
