import { folderOf, groupsOf, refOf } from './api.mjs';
import { docComment } from './descriptions.mjs';

/**
 * Makes one module per group version: an interface for every type, and a descriptor when the type is a resource.
 *
 * @returns {Map<string, string>} text by file, as `apps/v1.ts`
 */
export function generateInterfaces(api, descriptions) {
  const files = new Map();
  for (const [name, home] of api.homes) {
    if (!files.has(home.file)) files.set(home.file, []);
    files.get(home.file).push(name);
  }
  const resources = findResources(api.discovery);
  return new Map(
    [...files].map(([file, names]) => [`${file}.ts`, printModule({ api, descriptions }, file, names, resources)]),
  );
}

/** Types that are written by hand in machinery, or whose JSON differs from their schema. */
const machineryTypes = ['ListMeta', 'ManagedFieldsEntry', 'ObjectMeta', 'OwnerReference'];
const written = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'string | number',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'number | string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'object',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'object',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'JsonValue',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'JSONSchemaProps | JSONSchemaProps[]',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool': 'JSONSchemaProps | boolean',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray': 'JSONSchemaProps | string[]',
};

/** Descriptors by file and kind. */
function findResources(discovery) {
  const found = new Map();
  for (const { group, versions } of groupsOf(discovery))
    for (const { version, resources } of versions)
      for (const resource of resources)
        found.set(`${folderOf(group)}/${version}/${resource.responseKind.kind}`, { group, version, ...resource });
  return found;
}

function printModule({ api, descriptions }, file, names, resources) {
  const imports = new Imports(api, file, names);
  const body = names.map((name) =>
    printType({ api, descriptions, imports }, name, resources.get(`${file}/${api.homes.get(name).type}`)),
  );
  return `${imports.print()}\n${body.join('\n')}`;
}

function printType(context, name, resource) {
  const { api, imports } = context;
  const { type, file } = api.homes.get(name);
  const schema = api.schemas[name];
  if (file === 'meta/v1' && machineryTypes.includes(type)) {
    imports.machinery(type);
    return `export type { ${type} };\n`;
  }
  const comment = docComment(context.descriptions.typeOf(name));
  if (written[name] !== undefined) {
    if (written[name] === 'JsonValue') imports.json('JsonValue');
    return `${comment}export type ${type} = ${written[name]};\n`;
  }
  const listed = listedType(api, schema);
  if (listed !== undefined) {
    imports.machinery('KubernetesList');
    return `${comment}export type ${type} = KubernetesList<${imports.nameOf(listed)}>;\n`;
  }
  const declaration = `${comment}${printInterface(context, name, schema, type)}`;
  return resource === undefined ? declaration : `${declaration}${printDescriptor(imports, type, resource)}`;
}

/** Returns the type of a list's items; `undefined` when the type is not a list of objects. */
function listedType(api, schema) {
  const properties = schema.properties ?? {};
  const hasListMeta = refOf(properties.metadata ?? {})?.endsWith('.ListMeta');
  const item = properties.items?.items && refOf(properties.items.items);
  return hasListMeta && item !== undefined && isObject(api.schemas[item]) ? item : undefined;
}

function isObject(schema) {
  const properties = schema.properties ?? {};
  return (
    'apiVersion' in properties && 'kind' in properties && refOf(properties.metadata ?? {})?.endsWith('.ObjectMeta')
  );
}

function printInterface(context, name, schema, type) {
  const isRoot = isObject(schema);
  if (isRoot) context.imports.machinery('KubernetesObject');
  const fields = new Map(
    context.api.go.jsonFields(context.api.go.byOpenapi.get(name)).map((field) => [field.name, field]),
  );
  const required = new Set(schema.required);
  const texts = context.descriptions.typeOf(name).fields;
  const lines = Object.entries(schema.properties ?? {})
    .filter(([key]) => !(isRoot && ['apiVersion', 'kind', 'metadata'].includes(key)))
    .map(([key, property]) => {
      const isRequired = required.has(key);
      const text = printProperty(context, property, fields.get(key), isRequired);
      return `${docComment(texts[key], '  ')}  ${printKey(key)}${isRequired ? '' : '?'}: ${text};\n`;
    });
  const head = `export interface ${type}${isRoot ? ' extends KubernetesObject' : ''}`;
  return lines.length === 0 ? `${head} {}\n` : `${head} {\n${lines.join('')}}\n`;
}

/** Go prints an optional time that is not a pointer as `null` while it is unset. */
function printProperty(context, property, field, isRequired) {
  const text = printTypeOf(context, property);
  const isTime = /\.(Micro)?Time$/.test(refOf(property) ?? '');
  return isTime && !isRequired && !field.pointer ? `${text} | null` : text;
}

function printTypeOf(context, schema) {
  const ref = refOf(schema);
  if (ref !== undefined) return context.imports.nameOf(ref);
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (schema.type === 'array') {
    const item = printTypeOf(context, schema.items);
    return item.includes('|') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.additionalProperties) return `Record<string, ${printTypeOf(context, schema.additionalProperties)}>`;
  return { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', object: 'object' }[schema.type];
}

function printDescriptor(imports, type, resource) {
  imports.machinery('ResourceType');
  imports.machineryValue('resourceType');
  const facts = [
    `group: '${resource.group}'`,
    `version: '${resource.version}'`,
    `kind: '${resource.responseKind.kind}'`,
    `plural: '${resource.resource}'`,
    `scope: '${resource.scope}'`,
  ];
  if (resource.singularResource !== type.toLowerCase()) facts.push(`singular: '${resource.singularResource}'`);
  if (resource.shortNames) facts.push(`shortNames: ${printStrings(resource.shortNames)}`);
  if (resource.categories) facts.push(`categories: ${printStrings(resource.categories)}`);
  const parameters = `${type}, '${resource.scope}'`;
  return `export const ${type}: ResourceType<${parameters}> = /* @__PURE__ */ resourceType<${parameters}>({ ${facts.join(', ')} });\n`;
}

export function printStrings(values) {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

function printKey(key) {
  return /^[A-Za-z_]\w*$/.test(key) ? key : `'${key}'`;
}

/** Collects the imports of a module. A name that two files share is imported under a longer one. */
class Imports {
  #api;
  #file;
  #taken;
  #types = new Set();
  #values = new Set();
  #json = new Set();
  /** file → (exported name → local name) */
  #files = new Map();

  constructor(api, file, names) {
    this.#api = api;
    this.#file = file;
    this.#taken = new Set(names.map((name) => api.homes.get(name).type));
  }

  machinery(name) {
    this.#types.add(name);
  }

  machineryValue(name) {
    this.#values.add(name);
  }

  json(name) {
    this.#json.add(name);
  }

  nameOf(ref) {
    const { file, type } = this.#api.homes.get(ref);
    if (file === this.#file) return type;
    if (file === 'meta/v1' && machineryTypes.includes(type)) {
      this.machinery(type);
      return type;
    }
    if (!this.#files.has(file)) this.#files.set(file, new Map());
    const names = this.#files.get(file);
    if (!names.has(type)) {
      const local = this.#taken.has(type) ? `${file[0].toUpperCase()}${file.slice(1).replace('/v', 'V')}${type}` : type;
      this.#taken.add(local);
      names.set(type, local);
    }
    return names.get(type);
  }

  print() {
    const lines = [];
    const line = (keyword, names, from) =>
      lines.push(`${keyword} { ${[...names].sort().join(', ')} } from '${from}';\n`);
    if (this.#types.size > 0) line('import type', this.#types, '@pintle/machinery');
    if (this.#json.size > 0) line('import type', this.#json, '@pintle/machinery/json');
    if (this.#values.size > 0) line('import', this.#values, '@pintle/machinery');
    for (const [file, names] of [...this.#files].sort()) {
      const list = [...names].map(([type, local]) => (type === local ? type : `${type} as ${local}`));
      line('import type', list, `../${file}.ts`);
    }
    return lines.join('');
  }
}
