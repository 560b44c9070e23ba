const special = /["\\\u0000-\u001f\ud800-\udfff]/u; // what JSON does not allow as it is
const text = (s) => (special.test(s) ? JSON.stringify(s) : `"${s}"`);

export const hello = (o) => `{"hello":${text(o.hello)}}`;

export const ten = (o) =>
  `{"name":${text(o.name)},"mail":${text(o.mail)},"city":${text(o.city)},` +
  `"country":${text(o.country)},"language":${text(o.language)},"role":${text(o.role)},` +
  `"note":${text(o.note)},"id":${o.id},"logins":${o.logins},"active":${o.active}}`;

export const nested = ({ id, customer: { name, address }, total }) =>
  `{"id":${id},"customer":{"name":${text(name)},` +
  `"address":{"street":${text(address.street)},"city":${text(address.city)}}},` +
  `"total":{"amount":${total.amount},"currency":${text(total.currency)}}}`;

const item = (o) => `{"id":${o.id},"name":${text(o.name)},"done":${o.done}}`;
export const array = (o) => `{"items":[${o.items.map(item).join(',')}]}`;

export const quotes = (o) => `{"text":${text(o.text)}}`;
export const unicode = (o) =>
  `{"text":${text(o.text)},"city":${text(o.city)},"drink":${text(o.drink)}}`;
