import express from 'express';

const app = express();
app.disable('etag'); // a hash of every answer
app.disable('x-powered-by');

app.get('/', (request, response) => {
  response.json({ hello: 'world' });
});

app.listen(process.env.PORT, '127.0.0.1');
