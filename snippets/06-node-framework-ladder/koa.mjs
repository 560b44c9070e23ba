import Koa from 'koa';

const app = new Koa();

app.use((context) => {
  context.body = { hello: 'world' }; // sent when all middleware is done; no router, as in the article's table
});

app.listen(process.env.PORT, '127.0.0.1');
