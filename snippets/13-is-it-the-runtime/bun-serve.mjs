const headers = { 'content-type': 'application/json' }; // Bun's Response.json would add a charset

const hello = () => new Response(JSON.stringify({ hello: 'world' }), { headers });

Bun.serve({ port: process.env.PORT, hostname: '127.0.0.1', fetch: hello });
