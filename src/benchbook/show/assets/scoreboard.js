// Filters and sorts one scoreboard. Put inside a function by scoreboard_cards.py; without it the
// table is whole, in the order of the experiments.

function useBoard(id) {
  for (const root of document.querySelectorAll(`[data-benchbook-board="${id}"]`)) {
    if (root.dataset.used) continue;
    root.dataset.used = 'yes';
    const rows = [...root.querySelectorAll('tbody tr')];
    const filters = root.querySelector('.filters');
    const count = root.querySelector('output');
    const filter = () => {
      const wanted = Object.fromEntries(
        [...filters.querySelectorAll('[name]')].map(({ name, value }) => [name, value]),
      );
      const words = wanted.words.toLowerCase().split(/\s+/);
      for (const row of rows) {
        const text = row.textContent.toLowerCase(); // what is folded, too
        row.hidden = !(
          words.every((word) => text.includes(word)) &&
          ['experiment', 'verdict'].every((key) => !wanted[key] || row.dataset[key] === wanted[key])
        );
      }
      const shown = rows.filter((row) => !row.hidden).length;
      count.textContent = `${shown} of ${rows.length} statements`;
    };
    filters.addEventListener('input', filter);
    filters.hidden = false;
    filter();
    root.querySelectorAll('th').forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => sort(root, rows, column));
    });
  }
}

function sort(root, rows, column) {
  const heads = [...root.querySelectorAll('th')];
  const up = heads[column].getAttribute('aria-sort') !== 'ascending';
  heads.forEach((head) => head.removeAttribute('aria-sort'));
  heads[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
  const key = (row) => row.cells[column].dataset.key;
  const compare = (a, b) => {
    // What is not known comes last, whichever way it goes.
    if (!key(a) || !key(b)) return Boolean(key(b)) - Boolean(key(a));
    const order = key(a).localeCompare(key(b), 'en', { numeric: false });
    const difference = Number(key(a)) - Number(key(b)) || 0;
    const sign = Number.isNaN(Number(key(a))) ? order : difference;
    return up ? sign : -sign;
  };
  const body = root.querySelector('tbody');
  body.append(...[...rows].sort(compare)); // stable: equal rows stay in the experiments' order
}
