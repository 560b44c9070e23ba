export function down(depth, later) {
  if (depth > 1) return down(depth - 1, later).then((below) => 1 + below);
  return later ? later.then((value) => value) : Promise.resolve(1000); // promises by hand, without async
}
