// Draws one plotly figure in a page that may have no network, no plotly.js yet, and an AMD loader.
// Put inside a function, so that nothing of it is left behind: by embed.py in the pages that we
// write, by kernelspecs.py of the kernels in Notebook 6.

function drawFigure(id, figure) {
  // The same output may be in the page twice (JupyterLab's "new view for output"): draw each.
  for (const root of document.querySelectorAll(`[data-benchbook-figure="${id}"]`)) {
    if (root.dataset.drawn) continue;
    root.dataset.drawn = 'waiting';
    const plot = root.querySelector('.benchbook-plot');
    drawIn(plot, figure, brought).then(
      () => {
        root.dataset.drawn = 'yes';
        root.querySelector('details')?.removeAttribute('open');
      },
      (error) => {
        root.dataset.drawn = 'failed';
        plot.textContent = `The plot can't be drawn here (${error.message}); its numbers are in the table.`;
      },
    );
  }
}

// library: resolves to the text of plotly.js.
async function drawIn(plot, figure, library) {
  const plotly = await loadPlotly(library);
  plot.style.height = `${figure.layout.height}px`;
  await shown(plot);
  plot.textContent = '';
  // other people's figures, too, keep to themselves
  const config = { ...figure.config, showSendToCloud: false, showLink: false, plotlyServerURL: '' };
  await plotly.newPlot(plot, figure.data, figure.layout, config);
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

// plotly.js, once a page: what is there already, or the library.
function loadPlotly(library) {
  if (window.Plotly?.newPlot) return Promise.resolve(window.Plotly);
  window.benchbookPlotly ??= library().then(evaluate);
  window.benchbookPlotly.catch(() => delete window.benchbookPlotly);
  return window.benchbookPlotly;
}

// What the page brought along: plotly.js, gzipped, in base64.
async function brought() {
  const packed = window.benchbookPlotlyPacked;
  if (!packed) throw new Error('plotly.js is missing: ./bench setup');
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
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
