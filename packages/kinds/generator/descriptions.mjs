import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { refOf } from './api.mjs';
import { quote } from './schema-tables.mjs';

const COMMON = 'meta/v1';

/**
 * Reads the files under `descriptions/`, by type.
 *
 * @param {string} directory
 * @returns {{ typeOf: (name: string) => { text: string, fields: Record<string, Description> } }}
 * @typedef {{ text: string, default?: unknown, values?: Record<string, string>, deprecated?: string, immutable?: boolean }} Description
 */
export function readDescriptions(directory, api) {
  const files = new Map();
  for (const path of readdirSync(directory, { recursive: true }).filter((file) => file.endsWith('.yaml'))) {
    const [group, version] = path.split(/[\\/]/);
    const home = `${group}/${version}`;
    files.set(home, { ...files.get(home), ...parse(readFileSync(join(directory, path), 'utf8')) });
  }
  const typeOf = (name) => {
    const { file, type } = api.homes.get(name);
    const found = files.get(file)?.[type];
    if (found === undefined) throw new Error(`Cannot describe ${name}: descriptions/${file} has no ${type}`);
    const shared = files.get(COMMON)[sharedPart(api.schemas[name])]?.fields ?? {};
    const own = found.fields ?? {};
    const fields = Object.keys(api.schemas[name].properties ?? {}).map((key) => {
      const field = Object.hasOwn(own, key) ? own[key] : shared[key];
      if (field === undefined)
        throw new Error(`Cannot describe ${key} of ${name}: descriptions/${file} has no text for it`);
      return [key, typeof field === 'string' ? { text: field } : field];
    });
    return { text: found.description, fields: Object.fromEntries(fields) };
  };
  return { typeOf };
}

/** Objects and lists share the descriptions of apiVersion, kind and metadata. */
function sharedPart({ properties = {} }) {
  const metadata = refOf(properties.metadata ?? {});
  if (metadata?.endsWith('.ListMeta')) return '$list';
  return 'apiVersion' in properties && 'kind' in properties ? '$object' : '';
}

/** Returns the lines of a doc comment above a type or field, each ended. */
export function docComment(description, indent = '') {
  const { text, values = {}, deprecated } = description;
  const lines = wrap(sentences(text, description), 116 - indent.length);
  const listed = Object.entries(values).flatMap(([value, meaning]) => wrap(`- \`${value}\`: ${meaning}`, 114));
  const tags = [];
  if ('default' in description) tags.push(`@default ${JSON.stringify(description.default)}`);
  if (deprecated) tags.push(...wrap(`@deprecated ${deprecated}`, 116));
  const all = [...lines, ...listed, ...tags].map((line) => line.replaceAll('*/', '*\\/'));
  if (all.length === 1) return `${indent}/** ${all[0]} */\n`;
  return `${indent}/**\n${all.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function sentences(text, { immutable }) {
  return immutable ? `${text} It cannot change after creation.` : text;
}

/** Returns the description of a field for OpenAPI: its sentences, its default, its deprecation, its values. */
function openapiText(description) {
  const { text, values, deprecated } = description;
  const parts = [sentences(text, description)];
  if ('default' in description) parts.push(`Defaults to \`${printValue(description.default)}\`.`);
  if (deprecated) parts.push(`Deprecated: ${deprecated}`);
  const listed = Object.entries(values ?? {}).map(([value, meaning]) => ` - \`${JSON.stringify(value)}\` ${meaning}`);
  return listed.length === 0 ? parts.join(' ') : `${parts.join(' ')}\n\nPossible enum values:\n${listed.join('\n')}`;
}

function printValue(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function wrap(text, width) {
  const lines = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/**
 * Returns the source of hand-written types with the descriptions above their fields.
 *
 * @param {string} source
 * @param {Record<string, string>} types OpenAPI names by the names of interfaces in it
 */
export function describeSource(source, types, descriptions) {
  let fields;
  const lines = [];
  for (const line of source.split('\n')) {
    const [, opened] = /^export interface (\w+)/.exec(line) ?? [];
    if (opened !== undefined) fields = types[opened] && descriptions.typeOf(types[opened]).fields;
    const [, name] = /^ {2}(\w+)\??:/.exec(line) ?? [];
    if (fields !== undefined && name !== undefined && Object.hasOwn(fields, name)) {
      while (/^ {2}(\/\*\*| \*)/.test(lines.at(-1))) lines.pop();
      lines.push(...docComment(fields[name], '  ').trimEnd().split('\n'));
    }
    lines.push(line);
  }
  return lines.join('\n');
}

/** Makes the descriptions of all types, a line each: that of the type, then those of its fields in the order of the schema. */
export function generateDescriptions(api, descriptions) {
  const lines = Object.keys(api.schemas).map((name) => {
    const { text, fields } = descriptions.typeOf(name);
    const texts = [text, ...Object.values(fields).map(openapiText)];
    return `  '${name}': ${quote(JSON.stringify(texts))},\n`;
  });
  const comment =
    '/** By OpenAPI name, as JSON: the text of the type, then those of its fields in the order of the schema. */';
  return new Map([
    ['texts.ts', `${comment}\nexport const texts: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`],
  ]);
}
