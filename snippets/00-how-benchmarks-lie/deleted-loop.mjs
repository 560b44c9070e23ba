const toJson = (object) => `{"hello":"${object.hello}"}`;
const value = { hello: 'world' };
let kept = 0;

for (let round = 1; round <= 3; round++) {
  console.time('the text is thrown away');
  for (let i = 0; i < 10_000_000; i++) toJson(value);
  console.timeEnd('the text is thrown away');

  console.time('the text is looked at  ');
  for (let i = 0; i < 10_000_000; i++) kept += toJson(value).charCodeAt(i % 17); // a sink
  console.timeEnd('the text is looked at  ');
}

console.log('kept, so that nothing can be left out:', kept);
