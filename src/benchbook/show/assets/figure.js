// Draws one plotly figure in a page that may have no network, no plotly.js yet, and an AMD loader.
// Put inside a function by embed.py, so that nothing of it is left behind in the page.

function drawFigure(id, figure, packed) {
  // The same output may be in the page twice (JupyterLab's "new view for output"): draw each.
  for (const root of document.querySelectorAll(`[data-benchbook-figure="${id}"]`)) {
    if (root.dataset.drawn) continue;
    root.dataset.drawn = 'waiting';
    drawIn(root, figure, packed).then(
      () => (root.dataset.drawn = 'yes'),
      (error) => {
        root.dataset.drawn = 'failed';
        root.querySelector('.benchbook-plot').textContent =
          `The plot can't be drawn here (${error.message}); its numbers are in the table.`;
      },
    );
  }
}

async function drawIn(root, figure, packed) {
  const plot = root.querySelector('.benchbook-plot');
  const plotly = await loadPlotly(packed);
  plot.style.height = `${figure.layout.height}px`;
  await shown(plot);
  plot.textContent = '';
  await plotly.newPlot(plot, figure.data, figure.layout, figure.config);
  root.querySelector('details')?.removeAttribute('open');
  // The plot follows its own box, not the window alone: sidebars open and close.
  new ResizeObserver(() => plot.clientWidth && plotly.Plots.resize(plot)).observe(plot);
}

// Resolves when the element has a width: a hidden tab or a collapsed cell has none, and
// plotly.js would draw 700 px into it.
function shown(element) {
  return new Promise((resolve) => {
    const observer = new ResizeObserver(() => {
      if (!element.clientWidth) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element);
  });
}

// plotly.js, once a page: what is there already, or what the page or this figure brings along.
function loadPlotly(packed) {
  if (window.Plotly?.newPlot) return Promise.resolve(window.Plotly);
  const library = packed || window.benchbookPlotlyPacked;
  if (!library) return Promise.reject(new Error('plotly.js is missing: ./bench setup'));
  window.benchbookPlotly ??= unpack(library).then(evaluate);
  window.benchbookPlotly.catch(() => delete window.benchbookPlotly);
  return window.benchbookPlotly;
}

async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

// As a script, with define, module and exports hidden: where there is an AMD loader (Notebook 6's
// require.js), plotly.js would register itself there and never become window.Plotly.
function evaluate(code) {
  const script = document.createElement('script');
  script.textContent = `(function (define, module, exports) {${code}\n}).call(window);`;
  document.head.append(script);
  script.remove();
  if (!window.Plotly?.newPlot) throw new Error('plotly.js did not start');
  return window.Plotly;
}
