import Koa from 'koa';
import Router from '@koa/router';

const app = new Koa();
const router = new Router();

router.get('/', (context) => {
  context.body = { hello: 'world' };
});

app.use(router.routes()); // a router is one more middleware

app.listen(process.env.PORT, '127.0.0.1');
