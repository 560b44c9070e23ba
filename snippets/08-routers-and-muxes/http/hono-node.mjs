import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();

for (let number = 0; number < process.env.PATHS; number++) {
  app.get(`/items/${number}`, (context) => context.text('hello')); // the same app as on Deno
}

serve({ fetch: app.fetch, port: process.env.PORT, hostname: '127.0.0.1' });
