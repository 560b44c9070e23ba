// What is timed: a router is given paths, and then asked for them in random order.
const hello = () => 'hello';

export default function ({ router }, { case: size }) {
  const count = Number(size.replace(/\D/g, '')); // of "1,000 paths"
  const find = router(
    Array.from({ length: count }, (_, number) => `/items/${number}`),
    hello,
  );
  const order = Array.from({ length: 4096 }, () => Math.floor(Math.random() * count));
  const received = order.map((number) => Buffer.from(`/items/${number}`));
  if (received.some((path) => find(path.latin1Slice()) !== hello))
    throw new Error('a path is not found');
  let i = 0;
  // A new string each time, as from a socket: one that was looked up before remembers its hash.
  return () => find(received[i++ & 4095].latin1Slice());
}
