// Finds the limits in the sources: constants that are numbers, whose comment says what they bound, and the fields of constants
// of a type such as `ServerLimits`, whose comments stand in that type.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
/** Packages whose limits their users can meet, from the server outwards. */
const PACKAGES = [
  'apiserver',
  'kube-apiserver',
  'apiextensions',
  'aggregator',
  'store',
  'store-etcd',
  'machinery',
  'cel',
  'http2',
  'client',
  'operator',
  'controllers',
];
const NAME = /^(?:MAX|MIN|MOST|LEAST|LARGEST|LONGEST|SHORTEST|SMALLEST)_|_(?:LIMIT|MS|BYTES|SECONDS|SIZE|BURST)$/;
const CONSTANT = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:export )?const ([A-Z][A-Z\d_]*)(?:: number)? = ([\d_.*\s+-]+);/g;
const UNITS = { _MS: 1, _SECONDS: 1000 };
/** A constant with several limits, and the fields of its type, with or without a comment. */
const GROUP = /^(?:export )?const (\w+): (\w*Limits) = \{([^{}]*)\};/gm;
const FIELD = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?readonly (\w+)\??: number;/g;

/** Returns the page of limits. */
export function limitsPage() {
  const sections = PACKAGES.map((name) => [name, limitsOf(name)]).filter(([, rows]) => rows.length > 0);
  const tables = sections.map(([name, rows]) =>
    [`## ${name}`, '', '| limit | of what | where |', '|---|---|---|', ...rows.map(rowOf)].join('\n'),
  );
  return ['# Limits', 'Generated from the constants in the sources.', ...tables].join('\n\n');
}

function rowOf({ text, value, name, file }) {
  return `| ${value} | ${text.replaceAll('|', '\\|')} | \`${name}\` in \`${file}\` |`;
}

/** Returns the limits of a package in the order of its files. */
export function limitsOf(name) {
  const folder = join(root, 'packages', name, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => file.endsWith('.ts') && !/\.test\.ts$|(?:^|[\\/])(?:testing|tests|bench|generated)[\\/]/.test(file),
    )
    .sort();
  const sources = files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(folder, file), 'utf8')]);
  const fields = fieldsOf(sources.map(([, source]) => source));
  return sources.flatMap(([file, source]) => {
    const single = [...source.matchAll(CONSTANT)]
      .filter(([, , constant]) => NAME.test(constant))
      .map(([, comment, constant, expression]) => ({
        name: constant,
        file,
        text: textOf(comment),
        value: format(constant, numberOf(expression)),
      }));
    return [...single, ...groupsIn(source, fields).map((limit) => ({ ...limit, file }))];
  });
}

/** Returns the comments of fields by their type. */
function fieldsOf(sources) {
  const types = sources.flatMap((source) => [...source.matchAll(/interface (\w*Limits) \{([\s\S]*?)\n\}/g)]);
  return new Map(
    types.map(([, type, body]) => [
      type,
      new Map([...body.matchAll(FIELD)].map(([, comment = '', field]) => [field, textOf(comment)])),
    ]),
  );
}

/** Returns the fields of constants with several limits; unlimited ones are left out. */
function groupsIn(source, fields) {
  return [...source.matchAll(GROUP)].flatMap(([, constant, type, body]) => {
    const texts = fields.get(type) ?? new Map();
    return [...body.matchAll(/(\w+): ([\d_.*\s+-]+)(?:,|$)/g)]
      .filter(([, field, expression]) => texts.has(field) && numberOf(expression) > 0)
      .map(([, field, expression]) => ({
        name: `${constant}.${field}`,
        text: texts.get(field),
        value: format(field.replaceAll(/[A-Z]/g, '_$&').toUpperCase(), numberOf(expression)),
      }));
  });
}

function textOf(comment) {
  return comment.replace(/\s*\n?\s*\* ?/g, ' ').trim();
}

/** Computes sums of products and powers, such as `4 * 1024 * 1024` and `2 ** 31 - 1`. */
export function numberOf(expression) {
  const product = (text) => text.split(/\*(?!\*)(?<!\*\*)/).reduce((total, factor) => total * power(factor), 1);
  const power = (text) =>
    text
      .split('**')
      .map((each) => Number(each.replaceAll('_', '')))
      .reduceRight((b, a) => a ** b);
  const [first, ...others] = expression.split(/(?=[+-])/);
  return others.reduce((sum, term) => sum + (term[0] === '-' ? -1 : 1) * product(term.slice(1)), product(first));
}

function format(name, value) {
  const unit = Object.keys(UNITS).find((suffix) => name.endsWith(suffix));
  if (unit !== undefined) return duration(value * UNITS[unit]);
  if (!/BYTES|_SIZE$/.test(name) || value < 1024 || value % 512 !== 0) return value.toLocaleString('en');
  return value >= 1024 * 1024 ? `${round(value / 1024 / 1024)} MiB` : `${round(value / 1024)} KiB`;
}

function duration(ms) {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${round(ms / 60_000)} min` : `${round(ms / 3_600_000)} h`;
}

function round(value) {
  return Number(value.toFixed(2)).toLocaleString('en');
}
