export const router = (paths, handler) => {
  return (path) => (path.length > 0 ? handler : undefined); // finds nothing: what all others cost besides
};
