// Completion (Tab) and inspection (Shift-Tab), without running code that changes anything.

import { builtinModules } from 'node:module';
import { inspect as show, types } from 'node:util';
import { IMPORT } from './imports.mjs';

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;
const INDEX = String.raw`\[(?:\d+|'[^'\\\n]*'|"[^"\\\n]*")\]`;
const CHAIN = `${NAME}(?:\\s*\\??\\.\\s*${NAME}|${INDEX})*`;
const TEXT = String.raw`'[^'\\\n]*'|"[^"\\\n]*"`;
const MEMBER = new RegExp(
  `(?<![\\p{ID_Continue}$.)\\]])(${CHAIN}|${TEXT})\\s*\\??\\.\\s*([\\p{ID_Continue}$]*)$`,
  'u',
);
const WORD = new RegExp(`(?<![\\p{ID_Continue}$])(?:${NAME})?$`, 'u');
const MODULE = /(?:\b(?:require|import)\s*\(\s*|\bfrom\s+|\bimport\s+)(["'])([^"']*)$/;
const IDENTIFIER = new RegExp(`^${NAME}$`, 'u');
const KEYWORDS =
  `async await break case catch class const continue debugger default delete do else export extends
  false finally for function if import in instanceof let new null of return static super switch this
  throw true try typeof undefined var void while with yield`.split(/\s+/);
const MAX_MATCHES = 500;

/** {matches: [{text, type}], start, end} for the code before pos (in UTF-16 units). */
export function complete({ code, pos }, evaluator) {
  const before = code.slice(0, pos);
  const module = MODULE.exec(before);
  if (module) return answer(pos, module[2], moduleNames());
  const member = MEMBER.exec(before);
  if (member) {
    const held = evaluator.peek(member[1]);
    return answer(pos, member[2], held ? propertiesOf(held.value) : []);
  }
  const [word] = WORD.exec(before) ?? [''];
  if (/\.\s*$/.test(before.slice(0, before.length - word.length))) return answer(pos, word, []);
  return answer(pos, word, word ? globalNames(evaluator) : []);
}

function answer(pos, prefix, candidates) {
  const seen = new Set();
  const matches = candidates.filter(({ text }) => {
    const fits = text.startsWith(prefix) && !seen.has(text);
    const hidden = text.startsWith('__') && !prefix.startsWith('_');
    seen.add(text);
    return fits && !hidden;
  });
  return {
    status: 'ok',
    matches: matches.slice(0, MAX_MATCHES),
    start: pos - prefix.length,
    end: pos,
  };
}

const moduleNames = () =>
  builtinModules
    .filter((name) => !name.startsWith('_'))
    .flatMap((name) => [name, `node:${name}`])
    .map((text) => ({ text, type: 'module' }));

/** Names that follow a dot after this value; the nearest first. No getter and no proxy is asked. */
function propertiesOf(value) {
  if (value === null || value === undefined) return [];
  const found = [];
  let each = Object(value);
  while (each && !types.isProxy(each)) {
    const own = [];
    for (const name of Object.getOwnPropertyNames(each)) {
      if (!IDENTIFIER.test(name)) continue;
      const descriptor = Object.getOwnPropertyDescriptor(each, name);
      const type = typeof descriptor?.value === 'function' ? 'function' : 'property';
      own.push({ text: name, type });
    }
    own.sort((a, b) => (a.text < b.text ? -1 : 1));
    found.push(...own);
    each = Object.getPrototypeOf(each);
  }
  return found;
}

function globalNames(evaluator) {
  const own = evaluator.lexicalNames().map((text) => ({ text, type: 'variable' }));
  const keywords = KEYWORDS.map((text) => ({ text, type: 'keyword' }));
  return [...own, ...propertiesOf(globalThis), ...keywords].filter(({ text }) => text !== IMPORT);
}

/** {found, data}: what is known about the name at pos; a call's function between its brackets. */
export function inspect({ code, pos, detail }, evaluator) {
  const expression = chainAt(code, pos) ?? calleeAt(code, pos);
  const held = expression && evaluator.peek(expression);
  if (!held) return { status: 'ok', found: false };
  const text = describe(expression, held.value, detail);
  return { status: 'ok', found: true, data: { 'text/plain': text } };
}

/** The property chain that ends with the name at pos. */
function chainAt(code, pos) {
  let end = pos;
  while (end < code.length && /[\p{ID_Continue}$]/u.test(code[end])) end++;
  const chain = new RegExp(`(?<![\\p{ID_Continue}$.)\\]])(?:${CHAIN})$`, 'u');
  const text = chain.exec(code.slice(0, end))?.[0];
  return KEYWORDS.includes(text) && text !== 'this' ? undefined : text;
}

/** The property chain before the innermost bracket that is open at pos. */
function calleeAt(code, pos) {
  let closed = 0;
  for (let at = pos - 1; at >= 0; at--) {
    if (')]}'.includes(code[at])) closed++;
    else if ('([{'.includes(code[at]) && closed-- === 0)
      return code[at] === '(' ? chainAt(code, at) : undefined;
  }
  return undefined;
}

function describe(expression, value, detail) {
  const isFunction = typeof value === 'function';
  const lines = [];
  if (isFunction) lines.push(`Signature: ${signature(expression, value)}`);
  lines.push(`Type:      ${typeName(value)}`);
  const preview = show(value, {
    customInspect: false,
    depth: 1,
    maxArrayLength: 20,
    maxStringLength: 500,
    compact: 3,
  });
  if (!isFunction || Object.keys(value).length)
    lines.push(`Value:     ${preview.replaceAll('\n', '\n           ')}`);
  if (isFunction && detail > 0) {
    const source = Function.prototype.toString.call(value);
    lines.push('Source:', source);
  }
  return lines.join('\n');
}

function typeName(value) {
  if (value === null || typeof value !== 'object') {
    if (typeof value !== 'function') return value === null ? 'null' : typeof value;
    return isClass(value) ? 'class' : 'function';
  }
  if (types.isProxy(value)) return 'Proxy';
  const prototype = Object.getPrototypeOf(value);
  const maker = prototype && Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return (typeof maker === 'function' && maker.name) || 'object';
}

const isClass = (value) => /^class\b/.test(Function.prototype.toString.call(value));

/** `name(parameters)` as the source has it; for built-in functions, how many there are. */
function signature(expression, value) {
  const source = Function.prototype.toString.call(value);
  if (/\{\s*\[native code\]\s*\}$/.test(source)) {
    const count = value.length;
    return `${expression}(${Array.from({ length: count }, (_, i) => `arg${i + 1}`).join(', ')})`;
  }
  if (isClass(value)) {
    const constructor = /\bconstructor\s*(?=\()/.exec(source);
    const from = constructor && constructor.index + constructor[0].length;
    return `new ${expression}${constructor ? brackets(source, from) : '()'}`;
  }
  const head = /^(?:async\s*)?(?:[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u.exec(source);
  if (head) return `${expression}(${head[0].replace(/^async\s+|\s*=>$/g, '')})`;
  return `${expression}${brackets(source, source.indexOf('('))}`;
}

/** The bracketed text that starts at `from`, strings within it respected, on one line. */
function brackets(source, from) {
  let depth = 0;
  const token = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[([{]|[)\]}]/g;
  token.lastIndex = from;
  for (let match; (match = token.exec(source));) {
    if ('([{'.includes(match[0])) depth++;
    else if (')]}'.includes(match[0]) && --depth === 0)
      return source.slice(from, token.lastIndex).replace(/\s+/g, ' ');
  }
  return '(…)';
}
