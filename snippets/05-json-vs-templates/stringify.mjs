const stringify = (o) => JSON.stringify(o); // finds out the shape each time

export { stringify as hello, stringify as ten, stringify as nested };
export { stringify as array, stringify as quotes, stringify as unicode };
