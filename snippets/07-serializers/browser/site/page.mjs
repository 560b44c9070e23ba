// The page: starts one client, shows what it read, and measures all of them on request.
//
//   ?client=json   which client reads the forecasts
//   &n=1000        how many forecasts there are

const LOOPS = 20; // as the slides have it, and the second of two runs counts
const SHOWN = 30;

const query = new URLSearchParams(location.search);
const n = Number(query.get('n') ?? 1000);
const element = (id) => document.getElementById(id);

// A client can measure(seconds, loops) -> {get: [ms …], decode: [ms …]}, and tell what it read.
async function start({ name, module }) {
  return module ? startJavaScript(name, module) : startCsharp(name);
}

async function startCsharp(name) {
  const { dotnet } = await import(`./clients/${name}/_framework/dotnet.js`);
  const { runMain, getAssemblyExports } = await dotnet.create();
  await runMain();
  const { Client } = await getAssemblyExports('client.dll');
  const url = address(Client.Format());
  return {
    measure: async (seconds, loops) => JSON.parse(await Client.Measure(url, seconds * 1000, loops)),
    rows: () => JSON.parse(Client.Rows()),
    digest: () => Client.Digest(),
    exactDigest: () => Client.ExactDigest(),
    size: () => size(url),
  };
}

async function startJavaScript(name, module) {
  const { format, decode } = await import(`./clients/${name}/${module}`);
  const url = address(format);
  let forecasts = [];
  return {
    measure: async (seconds, loops) => {
      const times = { get: [], decode: [] };
      const start = performance.now();
      do {
        const asked = performance.now();
        const response = await fetch(url);
        if (!response.ok) throw new Error(`GET ${url} answered ${response.status}`);
        const bytes = await response.arrayBuffer();
        const arrived = performance.now();
        forecasts = decode(bytes);
        const done = performance.now();
        times.get.push(arrived - asked);
        times.decode.push(done - arrived);
      } while (times.get.length < loops || performance.now() - start < seconds * 1000);
      return times;
    },
    rows: () =>
      forecasts.map(({ date, temperatureC, summary }) => [
        date.toISOString().slice(0, -1),
        temperatureC,
        summary,
      ]),
    async digest() {
      const lines = this.rows().map((row) => row.map((field) => `${field}`).join('\t') + '\n');
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(lines.join('')));
      return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    },
    exactDigest: () => '', // a Date has milliseconds, and no kind
    size: () => size(url),
  };
}

async function size(url) {
  return (await (await fetch(url)).arrayBuffer()).byteLength;
}

function address(format) {
  return new URL(`./forecasts/${format}?n=${n}`, location.href).href; // HttpClient wants it whole
}

function row(cells) {
  const tr = document.createElement('tr');
  for (const cell of cells) {
    const td = tr.insertCell();
    td.textContent = cell;
    if (/^-?\d+([.]\d+)?$/.test(cell)) td.className = 'number';
  }
  return tr;
}

function showForecasts(rows) {
  const cells = rows
    .slice(0, SHOWN)
    .map(([date, celsius, summary]) =>
      row([date.slice(0, 10), celsius, 32 + Math.trunc(celsius / 0.5556), summary ?? '']),
    );
  element('forecasts').tBodies[0].replaceChildren(...cells);
  const left = rows.length - cells.length;
  element('more').textContent = left > 0 ? `… and ${left.toLocaleString('en')} more` : '';
}

// Each client gets a frame of its own, as it would have a page: a runtime, and code not yet compiled.
async function measureAll(clients) {
  element('measure').disabled = true;
  element('results').hidden = false;
  element('results').tBodies[0].replaceChildren();
  for (const { name, title } of clients) {
    element('progress').textContent = `${title} …`;
    element('results').tBodies[0].append(row([title, ...(await measureInFrame(name))]));
  }
  element('progress').textContent = '';
  element('measure').disabled = false;
}

async function measureInFrame(name) {
  const frame = document.createElement('iframe');
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  frame.src = `?client=${name}&n=${n}`;
  document.body.append(frame);
  try {
    await loaded;
    const client = await frame.contentWindow.client;
    await client.measure(0, LOOPS);
    const { get, decode } = await client.measure(0, LOOPS);
    const sum = (times) => times.reduce((total, time) => total + time, 0);
    const apart = decode.length ? [sum(get) / LOOPS, sum(decode) / LOOPS].map(digits) : ['', ''];
    return [...apart, digits(sum(get) + sum(decode))];
  } catch (error) {
    return ['', '', `failed: ${error.message}`];
  } finally {
    frame.remove();
  }
}

function digits(milliseconds) {
  return milliseconds.toFixed(milliseconds < 10 ? 2 : 0);
}

async function open() {
  const clients = await (await fetch('./clients.json')).json();
  const chosen = clients.find(({ name }) => name === query.get('client')) ?? clients[0];
  element('client').append(
    ...clients.map(({ name, title }) => new Option(title, name, false, name === chosen.name)),
  );
  element('client').addEventListener('change', ({ target }) => {
    location.search = new URLSearchParams({ client: target.value, n });
  });
  element('measure').addEventListener('click', () => measureAll(clients));
  const client = await start(chosen);
  await client.measure(0, 1);
  showForecasts(client.rows());
  element('state').textContent = '';
  element('measure').disabled = false;
  return client;
}

// A promise of the started client, for the race and for the frames above.
window.client = open();
window.client.catch((error) => {
  element('state').textContent = `can't be started: ${error.message}`;
  element('state').className = 'error';
});
