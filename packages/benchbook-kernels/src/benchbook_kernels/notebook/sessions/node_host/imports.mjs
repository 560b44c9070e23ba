// Makes imports work in a cell: V8 evaluates cells as scripts, in which `import` has no loader.
//
//   import('x')             ->  impørt('x')              (as long as before, so columns stay right)
//   import.meta             ->  impørt.meta
//   import a, {b} from 'x'  ->  const {default: a, b: b} = await impørt.names('x', ['default', 'b']);
//
// What exports become: see exports.mjs.

import { exportEdits, nameOf } from './exports.mjs';

/** The global function that loads a module for a cell. */
export const IMPORT = 'impørt';

/** The cell's code with its imports and exports rewritten. loadAcorn: gives the acorn module or undefined. */
export function rewriteImports(code, loadAcorn) {
  if (!/\b(?:im|ex)port\b/.test(code)) return code;
  const acorn = loadAcorn();
  const edits = (acorn && parsedEdits(code, acorn)) ?? scannedEdits(code);
  edits.sort((a, b) => b.start - a.start);
  for (const { start, end, text } of edits) {
    const lines = code.slice(start, end).split('\n').length;
    code = code.slice(0, start) + text + '\n'.repeat(lines - 1) + code.slice(end);
  }
  return code;
}

const dynamicEdit = (start) => ({ start, end: start + 6, text: IMPORT });

/** imports: [[exported name or '*', local name; undefined where it is only looked for]]. */
function staticEdit(start, end, source, imports, attributes) {
  const all = imports.find(([name]) => name === '*')?.[1];
  const named = imports.filter(([name]) => name !== '*');
  const quoted = JSON.stringify(source);
  const options = attributes ? `, { with: ${attributes} }` : '';
  const names = JSON.stringify(named.map(([name]) => name));
  const module = named.length
    ? `await ${IMPORT}.names(${quoted}, ${names}${options})`
    : `await ${IMPORT}(${quoted}${options})`;
  const declared = named.filter(([, local]) => local);
  const pattern = declared.map(([name, local]) => `${JSON.stringify(name)}: ${local}`);
  let text;
  if (all && named.length) {
    text = `const ${all} = ${module}, { ${pattern.join(', ')} } = ${all};`;
  } else if (all) text = `const ${all} = ${module};`;
  else if (pattern.length) text = `const { ${pattern.join(', ')} } = ${module};`;
  else text = `void (${module});`;
  return { start, end, text };
}

/** Edits found with acorn; undefined where the code does not parse (V8 then says why). */
function parsedEdits(code, acorn) {
  let program;
  try {
    program = acorn.parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
      allowHashBang: true,
    });
  } catch {
    return undefined;
  }
  const edits = [];
  const attributesOf = (node) => {
    const pairs = (node.attributes ?? []).map((each) => [nameOf(each.key), each.value.value]);
    return pairs.length ? JSON.stringify(Object.fromEntries(pairs)) : '';
  };
  const visit = (node) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (node.type === 'ImportExpression') edits.push(dynamicEdit(node.start));
    if (node.type === 'MetaProperty' && node.meta.name === 'import') {
      edits.push(dynamicEdit(node.start));
    }
    if (/^Export/.test(node.type) && node.type !== 'ExportSpecifier') {
      const { start, end, source } = node;
      const attributes = attributesOf(node);
      const options = attributes && `, { with: ${attributes} }`;
      const loaded = `${IMPORT}.all(${JSON.stringify(source?.value)}${options})`;
      edits.push(
        ...exportEdits(node, code, program, {
          fromModule: (imports) => staticEdit(start, end, source.value, imports, attributes),
          all: () => ({ start, end, text: `void (await ${loaded});` }),
        }),
      );
      return visit(node.declaration);
    }
    if (node.type === 'ImportDeclaration') {
      const imports = node.specifiers.map((each) => {
        if (each.type === 'ImportDefaultSpecifier') return ['default', each.local.name];
        if (each.type === 'ImportNamespaceSpecifier') return ['*', each.local.name];
        return [nameOf(each.imported), each.local.name];
      });
      edits.push(staticEdit(node.start, node.end, node.source.value, imports, attributesOf(node)));
      return;
    }
    for (const key in node) if (key !== 'type') visit(node[key]);
  };
  visit(program.body);
  return edits;
}

const STATIC =
  /import\s*(?:([\w$\s{},*"'.-]+?)\s*\bfrom\s*)?(["'])([^"'\n]+)\2(?:\s*with\s*(\{[^}]*\}))?[ \t]*;?/uy;
const DECLARED = /export[ \t]+(?:default[ \t]+)?(?=(?:const|let|var|class|async|function)\b)/uy;
const SKIP =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*|\s+|[^]/uy;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/uy;
const BEFORE_REGEX =
  /^(?:[=(,;:!&|?{}+\-*%<>~^[]|return|typeof|case|in|of|do|else|void|delete|await|yield|throw|=>)?$/;

/** Edits found without a parser: skips strings, comments, templates and regular expressions. */
function scannedEdits(code) {
  const edits = [];
  const templates = []; // for each template we are in the ${} of: how many braces are open
  let previous = '';
  let position = 0;
  const at = (pattern) => {
    pattern.lastIndex = position;
    return pattern.exec(code);
  };
  const skipTemplate = () => {
    while (position < code.length) {
      const character = code[position++];
      if (character === '\\') position++;
      else if (character === '`') return;
      else if (character === '$' && code[position] === '{') {
        position++;
        templates.push(0);
        return;
      }
    }
  };
  while (position < code.length) {
    const start = position;
    if (code[position] === '/' && BEFORE_REGEX.test(previous)) {
      const literal = !/^\/[/*]/.test(code.slice(position, position + 2));
      const match = literal && at(REGEX);
      if (match) {
        position += match[0].length;
        previous = 'regex';
        continue;
      }
    }
    const token = at(SKIP)[0];
    position += token.length;
    if (/^(?:\s|\/\/|\/\*)/.test(token)) continue;
    if (token === '`') skipTemplate();
    else if (templates.length && token === '{') templates[templates.length - 1]++;
    else if (templates.length && token === '}') {
      if (templates[templates.length - 1]-- === 0) {
        templates.pop();
        skipTemplate();
      }
    } else if (token === 'import' && previous !== '.') {
      if (/^\s*(?:\(|\.\s*meta\b)/.test(code.slice(position))) edits.push(dynamicEdit(start));
      else {
        position = start;
        const match = at(STATIC);
        position = start + (match ? match[0].length : token.length);
        const imports = match && clauseNames(match[1] ?? '');
        if (imports) edits.push(staticEdit(start, position, match[3], imports, match[4]));
      }
    } else if (token === 'export' && previous !== '.') {
      position = start;
      const match = at(DECLARED);
      position = start + token.length;
      if (match)
        edits.push({ start, end: start + match[0].length, text: ' '.repeat(match[0].length) });
    }
    previous = token;
  }
  return edits;
}

/** [[exported, local]] of an import clause; undefined where it is not one. */
function clauseNames(clause) {
  const names = [];
  const braces = /\{([^}]*)\}/.exec(clause);
  const outside = clause.replace(/\{[^}]*\}/, '').split(',');
  for (const part of outside.map((each) => each.trim()).filter(Boolean)) {
    const all = /^\*\s*as\s+([\w$]+)$/.exec(part);
    if (all) names.push(['*', all[1]]);
    else if (/^[\w$]+$/.test(part)) names.push(['default', part]);
    else return undefined;
  }
  const inside = (braces?.[1] ?? '').split(',').map((each) => each.trim());
  for (const part of inside.filter(Boolean)) {
    const match = /^(?:(["'])(.*?)\1|([\w$]+))(?:\s+as\s+([\w$]+))?$/.exec(part);
    const exported = match?.[2] ?? match?.[3];
    if (!match || (match[1] && !match[4])) return undefined;
    names.push([exported, match[4] ?? exported]);
  }
  return names;
}
