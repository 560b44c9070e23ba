export async function down(depth, later) {
  if (depth > 1) return 1 + (await down(depth - 1, later));
  return later ? await later : 1000; // the result will come, or it is there
}
