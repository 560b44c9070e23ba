export const router = (paths, handler) => {
  const routes = new Map(paths.map((path) => [path, handler]));
  return (path) => routes.get(path); // one look-up, however many paths there are
};
