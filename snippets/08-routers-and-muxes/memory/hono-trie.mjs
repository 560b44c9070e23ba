import { TrieRouter } from 'hono/router/trie-router';

export const router = (paths, handler) => {
  const routes = new TrieRouter(); // a tree of the parts between the slashes
  for (const path of paths) routes.add('GET', path, handler);
  return (path) => routes.match('GET', path)[0][0]?.[0];
};
