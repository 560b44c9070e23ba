// What a race asks of the page: window.client, a promise that Pages/Home.razor keeps.

window.client = new Promise((resolve, reject) => {
  window.offer = (page, problem) => {
    const loaded = { ms: performance.now(), files: files() };
    if (problem) reject(new Error(problem));
    resolve({
      loaded,
      measure: (seconds, loops) => page.invokeMethodAsync('Measure', seconds, loops),
      look: () => page.invokeMethodAsync('Look'),
    });
    return loaded;
  };
});
window.client.catch(() => {}); // the page shows it

// The files that the page has loaded, not its data; sent is 0 for one from the browser's cache.
function files() {
  return performance
    .getEntries()
    .filter(({ entryType }) => ['navigation', 'resource'].includes(entryType))
    .filter(({ name }) => !new URL(name).pathname.startsWith('/WeatherForecast'))
    .map(({ name, transferSize, decodedBodySize }) => ({
      name: new URL(name).pathname,
      sent: transferSize,
      bytes: decodedBodySize,
    }));
}
