import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '@pintle/kinds/apiextensions/v1';

/** Returns an API reference in Markdown: groups, kinds and versions by name, fields in the order of the schema. */
export function apiReference(definitions: readonly CustomResourceDefinition[], title = 'API reference'): string {
  const sorted = [...definitions].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const contents = sorted.flatMap(({ spec }) =>
    spec.versions.map(({ name }) => {
      const text = `${spec.names.kind} ${spec.group}/${name}`;
      return `- [${text}](#${anchorOf(text)})`;
    }),
  );
  const sections = sorted.flatMap((definition) =>
    definition.spec.versions.map((version) => section(definition, version)),
  );
  return `${[`# ${title}`, contents.join('\n'), ...sections].filter((part) => part !== '').join('\n\n')}\n`;
}

function keyOf({ spec }: CustomResourceDefinition): string {
  return `${spec.group}/${spec.names.kind}`;
}

/** Returns the anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function section({ spec }: CustomResourceDefinition, version: CustomResourceDefinitionVersion): string {
  const { names, group, scope } = spec;
  const root = version.schema?.openAPIV3Schema ?? {};
  const facts = [
    `- apiVersion: \`${group}/${version.name}\``,
    `- kind: \`${names.kind}\``,
    `- resource: \`${[names.plural, ...(names.shortNames ?? [])].join('`, `')}\``,
    `- scope: ${scope}`,
    ...(version.storage ? ['- stored in this version'] : []),
    ...(version.served ? [] : ['- not served']),
    ...(version.deprecated
      ? [`- deprecated${version.deprecationWarning ? `: ${line(version.deprecationWarning)}` : ''}`]
      : []),
    ...(version.subresources ? [`- subresources: ${Object.keys(version.subresources).sort().join(', ')}`] : []),
  ];
  const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = root.properties ?? {};
  return [
    `## ${names.kind} ${group}/${version.name}`,
    shown(root.description ?? ''),
    facts.join('\n'),
    rulesOf(root),
    table({ ...root, properties }),
    columnsOf(version),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function rulesOf({ 'x-kubernetes-validations': rules = [] }: JSONSchemaProps): string {
  return rules.map(({ rule, message }) => `- ${code(rule)}${message ? `: ${line(message)}` : ''}`).join('\n');
}

function columnsOf({ additionalPrinterColumns: columns = [] }: CustomResourceDefinitionVersion): string {
  if (columns.length === 0) return '';
  const rows = columns.map(({ name, type, jsonPath }) => `| ${cell(name)} | ${cell(type)} | \`${cell(jsonPath)}\` |`);
  return ['Columns of `kubectl get`:', '', '| column | type | value |', '|---|---|---|', ...rows].join('\n');
}

function table(root: JSONSchemaProps): string {
  const rows = [...rowsOf(root, '')];
  return rows.length === 0 ? '' : ['| field | type | |', '|---|---|---|', ...rows].join('\n');
}

/** Yields a row for each field, followed by the fields below it. */
function* rowsOf(schema: JSONSchemaProps, path: string): Generator<string> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const own = path === '' ? name : `${path}.${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    yield `| \`${cell(own)}\` | ${cell(typeOf(field))}${isRequired ? ', required' : ''} | ${cell(descriptionOf(field))} |`;
    yield* rowsOf(...below(field, own));
  }
}

function below(field: JSONSchemaProps, path: string): [JSONSchemaProps, string] {
  let [at, name] = [field, path];
  for (;;) {
    const { items, additionalProperties: values } = at;
    if (typeof items === 'object' && !Array.isArray(items)) [at, name] = [items, `${name}[]`];
    else if (typeof values === 'object') [at, name] = [values, `${name}{}`];
    else return [at, name];
  }
}

function typeOf(schema: JSONSchemaProps): string {
  const { type, items, additionalProperties: values } = schema;
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (typeof items === 'object' && !Array.isArray(items)) return `list of ${typeOf(items)}`;
  if (typeof values === 'object') return `map of ${typeOf(values)}`;
  return (type ?? 'anything') + (schema.nullable ? ' or null' : '');
}

function descriptionOf(schema: JSONSchemaProps): string {
  const { description = '', enum: values, default: fallback } = schema;
  const words = [
    description,
    values ? `One of ${values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')}.` : '',
    checksOf(schema),
    fallback === undefined ? '' : `Default: \`${JSON.stringify(fallback)}\`.`,
    ...(schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => message ?? `\`${rule}\``),
  ];
  return words.filter((word) => word !== '').join(' ');
}

const CHECKS = [
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['minLength', 'length at least'],
  ['maxLength', 'length at most'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
  ['minProperties', 'keys at least'],
  ['maxProperties', 'keys at most'],
  ['multipleOf', 'a multiple of'],
] as const;

function checksOf(schema: JSONSchemaProps): string {
  const { minimum, maximum } = schema;
  const checks = CHECKS.flatMap(([keyword, text]) =>
    schema[keyword] === undefined ? [] : [`${text} \`${schema[keyword]}\``],
  );
  if (minimum !== undefined) checks.push(`${schema.exclusiveMinimum ? 'more than' : 'at least'} \`${minimum}\``);
  if (maximum !== undefined) checks.push(`${schema.exclusiveMaximum ? 'less than' : 'at most'} \`${maximum}\``);
  return checks.length === 0 ? '' : `Checked: ${checks.join(', ')}.`;
}

/** Returns a text as code on one line, in more backticks than it has in a row. */
function code(text: string): string {
  const flat = text.replaceAll(LINE_ENDS, ' ');
  const longest = Math.max(0, ...[...flat.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${flat}${fence}` : `${fence} ${flat} ${fence}`;
}

const LINE_ENDS = /\s*\n\s*/g;

/** Returns the text on one line, for a cell of a table. */
function cell(text: string): string {
  return line(text).replaceAll('|', '\\|');
}

function line(text: string): string {
  return shown(text).replaceAll(LINE_ENDS, ' ');
}

/** Returns Markdown in which nothing is HTML: definitions may be those of others. */
function shown(text: string): string {
  return text.replaceAll('<', '&lt;');
}
