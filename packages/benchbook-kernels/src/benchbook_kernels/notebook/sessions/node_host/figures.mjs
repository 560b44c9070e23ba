// plotly(data, layout): a figure that the front end draws with plotly.js.

const PLOTLY = 'application/vnd.plotly.v1+json';

const isSeries = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * plotly(data, layout, config) draws a series, as { x, y }, or an array of them. Returns what
 * display() does.
 */
export function makePlotly(display) {
  return function plotly(data, layout = {}, config = {}) {
    const series = Array.isArray(data) ? data : [data];
    if (!series.length || !series.every(isSeries)) {
      throw new TypeError(
        "plotly(data, layout) takes a series, as { x, y }, or an array of them: [{ x, y }, { y, type: 'bar' }]",
      );
    }
    const figure = { data: series, layout, config };
    return display({ [PLOTLY]: figure, 'text/plain': told(figure) });
  };
}

/** What is drawn, for those who don't see it: the title, and each series with its number of points. */
function told({ data, layout }) {
  const title = layout.title?.text ?? layout.title;
  const points = (each) =>
    Math.max(0, ...['x', 'y', 'z', 'values'].map((n) => each[n]?.length ?? 0));
  const lines = data.map(
    (each, i) =>
      `${each.name ?? `series ${i + 1}`}: ${each.type ?? 'scatter'}, ${points(each)} points`,
  );
  return [`A plot${title ? `: ${title}` : ''}`, ...lines].join('\n');
}
