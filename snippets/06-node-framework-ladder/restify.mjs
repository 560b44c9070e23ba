import restify from 'restify';

const server = restify.createServer();

server.get('/', (request, response, next) => {
  response.charSet('utf-8'); // the others name it by themselves
  response.send({ hello: 'world' });
  next();
});

server.listen(process.env.PORT, '127.0.0.1');
