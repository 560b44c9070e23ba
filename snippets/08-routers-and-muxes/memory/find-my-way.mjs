import findMyWay from 'find-my-way';

export const router = (paths, handler) => {
  const routes = findMyWay();
  for (const path of paths) routes.on('GET', path, handler);
  return (path) => routes.find('GET', path)?.handler; // down a tree of common beginnings
};
