const headers = { 'content-type': 'application/json' };

const hello = () => new Response(JSON.stringify({ hello: 'world' }), { headers });

Deno.serve({ port: Number(process.env.PORT), hostname: '127.0.0.1' }, hello);
