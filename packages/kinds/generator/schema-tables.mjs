import { createHash } from 'node:crypto';

/**
 * The schemas as text, a line per type, parsed when somebody asks for the type. Beside each schema stands what Go does
 * with its fields, in the order of the schema's properties.
 */
export function generateSchemaTables(api) {
  const names = Object.keys(api.schemas);
  const folders = Map.groupBy?.(names, folder) ?? groupBy(names, folder);
  const files = new Map([...folders].map(([key, members]) => [`${key}.ts`, printTable(api, members)]));
  return files.set('index.ts', printIndex(api, [...folders.keys()]));

  function folder(name) {
    return api.homes.get(name).file.split('/')[0];
  }
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function printTable(api, names) {
  const lines = names.map(
    (name) => `  '${name}': [${quote(JSON.stringify(api.schemas[name]))}, '${goFacts(api, name)}'],\n`,
  );
  return `import type { TypeTable } from '../type-table.ts';\n\nexport const types: TypeTable = {\n${lines.join('')}};\n`;
}

/** `v1.Volume|estring|kv1.HostPathVolumeSource|…`: the type itself, then zero rule and types of each property. */
function goFacts(api, name) {
  const type = api.go.byOpenapi.get(name);
  const fields = new Map(api.go.jsonFields(type).map((field) => [field.name, field]));
  const properties = Object.keys(api.schemas[name].properties ?? {});
  return [type.goType, ...properties.map((key) => zeroLetter(fields.get(key)) + fields.get(key).types.join('>'))].join(
    '|',
  );
}

/** k: keep, n: keep, and null while absent; o: omit; e: emit. encoding/json never omits a struct as empty. */
function zeroLetter(field) {
  if (field.pointer) return field.omitEmpty ? 'k' : 'n';
  if (field.kind === 's') return field.omitZero ? 'o' : 'e';
  return field.omitEmpty ? 'o' : 'e';
}

function printIndex(api, folders) {
  const imports = folders.map((name) => `import { types as ${name} } from './${name}.ts';\n`);
  const kinds = Object.entries(api.schemas).flatMap(([name, schema]) =>
    (schema['x-kubernetes-group-version-kind'] ?? []).map(
      ({ group, version, kind }) => `  '${group}/${version}/${kind}': '${name}',\n`,
    ),
  );
  const sorted = Object.entries(api.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  return [
    "import type { TypeTable } from '../type-table.ts';\n",
    ...imports,
    `\nexport const tables: readonly TypeTable[] = [${folders.join(', ')}];\n`,
    '\n/** Type by `group/version/kind`. */\n',
    `export const typeOfKind: Readonly<Record<string, string>> = {\n${kinds.join('')}};\n`,
    '\n/** SHA-256 of the source schemas, sorted by name: tests prove with it that nothing was lost. */\n',
    `export const sourceDigest = '${digest}';\n`,
  ].join('');
}

export function quote(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
