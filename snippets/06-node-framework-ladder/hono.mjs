import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
const type = { 'Content-Type': 'application/json; charset=utf-8' }; // Hono's own would lack the charset

app.get('/', (context) => context.json({ hello: 'world' }, 200, type));

serve({ fetch: app.fetch, port: process.env.PORT, hostname: '127.0.0.1' });
