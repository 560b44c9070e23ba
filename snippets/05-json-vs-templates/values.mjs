// What is turned into JSON: for each shape, a function that makes the i-th value.
const shapes = {
  hello: (i) => ({ hello: `world ${i}` }),
  ten: (i) => ({
    name: `Ada Lovelace ${i}`,
    mail: `ada${i}@example.org`,
    city: 'London',
    country: 'United Kingdom',
    language: 'en',
    role: 'mathematician',
    note: 'wrote the first program',
    id: i,
    logins: 100 + i,
    active: i % 2 === 0,
  }),
  nested: (i) => ({
    id: i,
    customer: { name: `Ada ${i}`, address: { street: '12 St James Square', city: 'London' } },
    total: { amount: 1200 + i, currency: 'GBP' },
  }),
  array: (i) => ({
    items: Array.from({ length: 100 }, (_, n) => ({ id: n, name: `item ${i}`, done: n % 3 === 0 })),
  }),
  quotes: (i) => ({ text: `"No ${i}", she said.\nThen she typed C:\\temp\\${i}` }),
  unicode: (i) => ({ text: `こんにちは、世界 ${i}`, city: 'Αθήνα', drink: 'žluťoučký čaj 🍵' }),
};

// Sixteen of a shape, read from text as a server reads them: nobody can know them in advance.
export const values = (shape) =>
  Array.from({ length: 16 }, (_, i) => JSON.parse(JSON.stringify(shapes[shape](i))));
