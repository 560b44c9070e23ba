// The page in JavaScript: ?module=json.mjs decodes what the web API answers (&n=1000 forecasts).

const SHOWN = 10;

const query = new URLSearchParams(location.search);
const module = query.get('module') ?? 'json.mjs';
const element = (id) => document.getElementById(id);

async function start() {
  const { path, decode } = await import(`./${module}`);
  const url = `${path}?n=${query.get('n') ?? 1000}`;
  let forecasts = [];
  let bytes = 0;

  // again and again for so long, and at least so often; the times of each load in milliseconds
  async function measure(seconds, loops) {
    const times = { get: [], decode: [] };
    const start = performance.now();
    do {
      const asked = performance.now();
      const response = await fetch(url);
      if (!response.ok) throw new Error(`GET ${url} answered ${response.status}`);
      const buffer = await response.arrayBuffer();
      const arrived = performance.now();
      forecasts = decode(buffer);
      const done = performance.now();
      times.get.push(arrived - asked);
      times.decode.push(done - arrived);
      bytes = buffer.byteLength;
    } while (times.get.length < loops || performance.now() - start < seconds * 1000);
    return times;
  }

  // exactDigest: a Date has milliseconds, and no kind
  const look = async () => ({
    count: forecasts.length,
    digest: await digest(rows(forecasts)),
    exactDigest: '',
    bytes,
  });

  const times = await measure(0, 1);
  const [get, decoding] = [times.get, times.decode].map(([each]) => each.toFixed(2));
  element('state').textContent =
    `${module}: ${bytes.toLocaleString('en')} bytes, GET ${get} ms, decode ${decoding} ms`;
  show(rows(forecasts));
  return { measure, look };
}

function rows(forecasts) {
  return forecasts.map(({ date, temperatureC, summary }) => [
    date.toISOString().slice(0, -1),
    temperatureC,
    summary,
  ]);
}

async function digest(rows) {
  const lines = rows.map((row) => row.map((field) => `${field}`).join('\t') + '\n');
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(lines.join('')));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function show(rows) {
  for (const [date, celsius, summary] of rows.slice(0, SHOWN)) {
    const row = element('forecasts').tBodies[0].insertRow();
    for (const text of [date.slice(0, 10), celsius, summary ?? '']) {
      row.insertCell().textContent = text;
    }
    row.cells[1].className = 'number';
  }
}

// A promise of the started client, for the race.
window.client = start();
window.client.catch((error) => {
  element('state').textContent = `can't be started: ${error.message}`;
  element('state').className = 'error';
});
