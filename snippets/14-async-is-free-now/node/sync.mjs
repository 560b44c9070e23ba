export const down = (depth) => (depth > 1 ? 1 + down(depth - 1) : 1000);
