export const router = (paths, handler) => {
  const routes = paths.map((path) => ({ pattern: new RegExp(`^${path}$`), handler }));
  return (path) => routes.find(({ pattern }) => pattern.test(path))?.handler; // one after the other, until one fits
};
