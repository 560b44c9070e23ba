import compile from 'fast-json-stringify';

const all = (type, names) => Object.fromEntries(names.split(' ').map((name) => [name, { type }]));
const strings = (names) => all('string', names);
const integers = (names) => all('integer', names);
const object = (properties) => ({ type: 'object', properties });
const boolean = { type: 'boolean' };

export const hello = compile(object(strings('hello'))); // a function written for this one shape

const words = strings('name mail city country language role note');
export const ten = compile(object({ ...words, ...integers('id logins'), active: boolean }));

const customer = object({ ...strings('name'), address: object(strings('street city')) });
const total = object({ ...integers('amount'), ...strings('currency') });
export const nested = compile(object({ ...integers('id'), customer, total }));

const item = object({ ...integers('id'), ...strings('name'), done: boolean });
export const array = compile(object({ items: { type: 'array', items: item } }));

export const quotes = compile(object(strings('text')));
export const unicode = compile(object(strings('text city drink')));
