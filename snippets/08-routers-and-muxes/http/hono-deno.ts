import { Hono } from 'hono';

const app = new Hono();

for (let number = 0; number < Number(Deno.env.get('PATHS')); number++) {
  app.get(`/items/${number}`, (context) => context.text('hello')); // the article's handler
}

Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, app.fetch);
