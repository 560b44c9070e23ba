// Lets Notebook 6 draw plotly JSON, with the plotly.js that lies beside our kernelspecs. It asks for
// the kernel.js of a notebook's kernel (install/kernelspecs.py makes that of this and figure.js) once
// the notebook is open; until then, and where plotly.js is missing, its outputs are pictures.

function drawFigures(notebook, OutputArea, address) {
  const type = 'application/vnd.plotly.v1+json';

  // Called by an output area: shows a figure in a new part of it.
  function append(figure, metadata, element) {
    const part = this.create_output_subarea(metadata, 'output_plotly', type);
    element.append(part);
    // a copy: plotly.js writes into what it is given, and Notebook saves its outputs
    drawIn(part[0], structuredClone(figure), () => load(address));
    return part;
  }

  OutputArea.prototype.register_mime_type(type, append, { safe: true, index: 0 });
  for (const cell of notebook.get_cells()) {
    const outputs = cell.output_area?.outputs ?? [];
    if (outputs.some((output) => output.data?.[type])) notebook.render_cell_output(cell);
  }
}

async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.text();
}
