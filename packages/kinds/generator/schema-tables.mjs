import { createHash } from 'node:crypto';

/**
 * Makes the schemas as text, a line per type, parsed on demand. Beside each schema are Go's facts about its fields, in
 * the order of the schema's properties. One module: Node.js takes longer to open twenty files than to scan one.
 */
export function generateSchemaTables(api) {
  const lines = Object.entries(api.schemas).map(
    ([name, schema]) => `  '${name}': [${quote(JSON.stringify(schema))}, '${goFacts(api, name)}'],\n`,
  );
  const text = [
    "import type { TypeTable } from '../type-table.ts';\n",
    `\nexport const types: TypeTable = {\n${lines.join('')}};\n`,
    printKinds(api),
    printDigest(api),
  ];
  return new Map([['types.ts', text.join('')]]);
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

function printKinds(api) {
  const kinds = Object.entries(api.schemas).flatMap(([name, schema]) =>
    (schema['x-kubernetes-group-version-kind'] ?? []).map(
      ({ group, version, kind }) => `  '${group}/${version}/${kind}': '${name}',\n`,
    ),
  );
  const comment = '/** Type by `group/version/kind`. */';
  return `\n${comment}\nexport const typeOfKind: Readonly<Record<string, string>> = {\n${kinds.join('')}};\n`;
}

function printDigest(api) {
  const sorted = Object.entries(api.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  const comment = '/** SHA-256 of the source schemas, sorted by name: tests prove with it that nothing was lost. */';
  return `\n${comment}\nexport const sourceDigest = '${digest}';\n`;
}

export function quote(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
