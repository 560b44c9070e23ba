const paths = Number(Deno.env.get('PATHS'));

Deno.serve({ port: Number(Deno.env.get('PORT')), hostname: '127.0.0.1' }, (request) => {
  const number = parseInt(request.url.slice(request.url.lastIndexOf('/') + 1));
  if (!(number < paths)) return new Response(null, { status: 404 }); // no router: the number itself tells
  return new Response('hello');
});
