import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The inputs of the generator: the API's definitions as data, and the facts about Go that they lack.
 *
 * @param {string} directory the folder of schemas.json, discovery.json and protobuf.json
 */
export function readApi(directory) {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const schemas = read(join(directory, 'schemas.json'));
  return {
    schemas,
    discovery: read(join(directory, 'discovery.json')),
    messages: read(join(directory, 'protobuf.json')),
    go: readGoFacts(read(new URL('../facts/generated/go-fields.json', import.meta.url))),
    homes: findHomes(schemas),
  };
}

const schemaPrefix = '#/components/schemas/';

/** Returns the type that a property refers to, as `$ref` or as `allOf: [$ref]` beside other keywords. */
export function refOf(schema) {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.slice(schemaPrefix.length);
}

/** Returns `rbac` for rbac.authorization.k8s.io, `core` for the core group. */
export function folderOf(group) {
  return group === '' ? 'core' : group.split('.')[0];
}

/** Returns the groups of discovery, the core group first, each as `{ group, versions }`. */
export function groupsOf(discovery) {
  return [...discovery.core.items, ...discovery.groups.items].map((item) => ({
    group: item.metadata.name ?? '',
    versions: item.versions,
  }));
}

/** Finds the generated file of each type: `io.k8s.api.apps.v1.Deployment` is `Deployment` in `apps/v1`. */
function findHomes(schemas) {
  const homes = new Map();
  for (const name of Object.keys(schemas)) {
    const parts = name.split('.');
    const type = parts.pop();
    const version = parts.pop();
    const isVersioned = /^v\d/.test(version) && parts.at(-1) !== 'pkg';
    homes.set(name, { file: isVersioned ? `${parts.pop()}/${version}` : 'meta/v1', type });
  }
  return homes;
}

/** Reads Go's facts by OpenAPI name and by protobuf message name. */
function readGoFacts(table) {
  const byPath = new Map();
  for (const [path, [goType, openapi, kind, fields]] of Object.entries(table))
    byPath.set(path, { path, goType, openapi, kind, fields: Object.entries(fields).map(readField) });
  const all = [...byPath.values()];
  return {
    byPath,
    byOpenapi: new Map(all.filter((type) => type.openapi).map((type) => [type.openapi, type])),
    byMessage: new Map(all.map((type) => [messageName(type.path), type])),
    /** Returns the fields of the type's JSON, with embedded structs inlined. */
    jsonFields: (type) => jsonFieldsOf(type, byPath),
  };
}

function readField([name, fact]) {
  const [, number, flags, kind, types] = /^(\d*)([*?!]*)([slmbiv]) ?(.*)$/.exec(fact);
  return {
    name,
    embedded: name.startsWith('+') ? name.slice(1) : undefined,
    number: Number(number),
    pointer: flags.includes('*'),
    omitEmpty: flags.includes('?'),
    omitZero: flags.includes('!'),
    kind,
    types: types.split('>'),
  };
}

function jsonFieldsOf(type, byPath) {
  return type.fields.flatMap((field) =>
    field.embedded === undefined ? [field] : jsonFieldsOf(byPath.get(field.embedded), byPath),
  );
}

function messageName(path) {
  return path.replaceAll('/', '.').replaceAll('-', '_');
}
