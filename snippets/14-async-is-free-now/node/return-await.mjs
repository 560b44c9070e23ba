export async function down(depth, later) {
  if (depth > 1) return await down(depth - 1, later); // async, and it is awaited before it is returned
  return later ? await later : 1000;
}
