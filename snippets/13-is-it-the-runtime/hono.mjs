import { Hono } from 'hono';

const app = new Hono();

app.get('/', (context) => context.json({ hello: 'world' })); // the application ends here

const port = Number(process.env.PORT);
const hostname = '127.0.0.1';

if (globalThis.Deno) Deno.serve({ port, hostname }, app.fetch);
else if (globalThis.Bun) Bun.serve({ port, hostname, fetch: app.fetch });
else (await import('@hono/node-server')).serve({ port, hostname, fetch: app.fetch }); // an adapter to node:http
