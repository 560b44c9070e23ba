// Gives what a pasted module exports its meaning in a cell: nobody imports from a cell, so it is declared.
//
//   export const a = 5          ->         const a = 5           (columns stay right)
//   export default 1 + 1        ->  ;             (1 + 1);        (a cell shows its last expression)
//   export { a, a as b }        ->  at the cell's end: a is looked for, and const b = a
//   export { a as b } from 'x'  ->  const {a: b} = await impørt.names('x', ['a']);
//   export * from 'x'           ->  void (await impørt.all('x'));

export const nameOf = (node) => node.name ?? node.value;

/**
 * The edits of a node that exports. program: the whole cell's; fromModule(imports): the edit for names from another module;
 * all(): the edit for all that another module has.
 */
export function exportEdits(node, code, program, { fromModule, all }) {
  const { start, end, declaration, specifiers } = node;
  const declared = declaredNames(program);
  if (node.type === 'ExportAllDeclaration') {
    return [node.exported ? fromModule([['*', newName(node.exported, declared)]]) : all()];
  }
  if (node.type === 'ExportDefaultDeclaration' && !declaration.id) {
    const before = ';'.padEnd(declaration.start - start - 1) + '(';
    return [
      { start, end: declaration.start, text: before },
      { start: declaration.end, end, text: ');' },
    ];
  }
  if (declaration) return [{ start, end: declaration.start, text: blank(code, node) }];
  const names = specifiers.map((each) => [nameOf(each.local), newName(each.exported, declared)]);
  if (node.source) return [fromModule(names)];
  const others = names.filter(([local, exported]) => exported && exported !== local);
  const looked = `{ const [] = [${names.map(([local]) => local)}]; }`;
  const text = others.map(([local, exported]) => ` const ${exported} = ${local};`).join('');
  return [
    { start, end, text: '' },
    { start: code.length, end: code.length, text: `\n${looked}${text}` },
  ];
}

const blank = (code, { start, declaration }) =>
  ' '.repeat(code.slice(start, declaration.start).replaceAll('\n', '').length);

/** The name that an export declares in the session; undefined where it can't be one, or the cell has it. */
function newName(node, declared) {
  const name = nameOf(node);
  if (declared.has(name)) return undefined;
  try {
    new Function(`'use strict'; const ${name} = 0`);
    return /^[\p{ID_Continue}$]+$/u.test(name) ? name : undefined;
  } catch {
    return undefined; // default, or any text
  }
}

function declaredNames(program) {
  const names = new Set();
  const collect = (pattern) => {
    if (!pattern || typeof pattern !== 'object') return;
    if (pattern.type === 'Identifier') names.add(pattern.name);
    else if (pattern.type === 'AssignmentPattern') collect(pattern.left);
    else if (pattern.type === 'RestElement') collect(pattern.argument);
    else if (pattern.type === 'ArrayPattern') pattern.elements.forEach(collect);
    else if (pattern.type === 'ObjectPattern') {
      for (const each of pattern.properties) collect(each.value ?? each);
    }
  };
  for (const statement of program.body) {
    const node = statement.declaration ?? statement;
    if (/^(?:Function|Class)Declaration$/.test(node.type)) collect(node.id);
    if (node.type === 'VariableDeclaration') node.declarations.forEach((each) => collect(each.id));
    if (node.type === 'ImportDeclaration') node.specifiers.forEach((each) => collect(each.local));
  }
  return names;
}
