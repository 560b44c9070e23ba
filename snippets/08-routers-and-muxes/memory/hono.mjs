import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';

export const router = (paths, handler) => {
  const routes = new SmartRouter({ routers: [new RegExpRouter(), new TrieRouter()] }); // as new Hono() does
  for (const path of paths) routes.add('GET', path, handler);
  return (path) => routes.match('GET', path)[0][0]?.[0];
};
