// As in the article: nothing is escaped. Wrong for a quote, a backslash or a newline.
export const hello = (o) => `{"hello":"${o.hello}"}`;

export const ten = (o) =>
  `{"name":"${o.name}","mail":"${o.mail}","city":"${o.city}","country":"${o.country}",` +
  `"language":"${o.language}","role":"${o.role}","note":"${o.note}",` +
  `"id":${o.id},"logins":${o.logins},"active":${o.active}}`;

export const nested = ({ id, customer: { name, address }, total }) =>
  `{"id":${id},"customer":{"name":"${name}",` +
  `"address":{"street":"${address.street}","city":"${address.city}"}},` +
  `"total":{"amount":${total.amount},"currency":"${total.currency}"}}`;

const item = (o) => `{"id":${o.id},"name":"${o.name}","done":${o.done}}`;
export const array = (o) => `{"items":[${o.items.map(item).join(',')}]}`;

export const unicode = (o) => `{"text":"${o.text}","city":"${o.city}","drink":"${o.drink}"}`;
