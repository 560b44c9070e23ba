export async function down(depth, later) {
  if (depth > 1) return down(depth - 1, later); // async, and the promise is returned as it is
  return later ?? 1000;
}
