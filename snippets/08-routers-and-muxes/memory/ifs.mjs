export const router = (paths, handler) => {
  const lines = paths.map((path) => `if (path === '${path}') return handler;`);
  const find = new Function('path', 'handler', lines.join('\n')); // as if somebody had written them all
  return (path) => find(path, handler);
};
