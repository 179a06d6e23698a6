// Module hooks that make every function of this repository's packages report its file when it is entered.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import MagicString from 'magic-string';

const PACKAGES = new URL('../../packages/', import.meta.url).href;

export async function load(url, context, nextLoad) {
  if (!url.startsWith(PACKAGES) || !url.endsWith('.js')) return await nextLoad(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  const file = url.slice(PACKAGES.length).replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  return { format: 'module', shortCircuit: true, source: instrument(source, file) };
}

function instrument(source, file) {
  const code = new MagicString(source);
  const entry = `globalThis.__walkEnter?.(${JSON.stringify(file)})`;
  visit(parse(source, { sourceType: 'module', plugins: ['explicitResourceManagement'] }).program, (node) => {
    if (!FUNCTIONS.has(node.type) || node.body == null) return;
    const { type, start, end } = node.body;
    if (type === 'BlockStatement') code.appendRight(start + 1, `${entry};`);
    else code.appendRight(start, `(${entry},`).appendLeft(end, ')');
  });
  return code.toString();
}

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
]);

function visit(node, see) {
  if (Array.isArray(node)) for (const item of node) visit(item, see);
  else if (typeof node?.type === 'string') {
    see(node);
    for (const key in node) if (key !== 'loc' && typeof node[key] === 'object') visit(node[key], see);
  }
}
