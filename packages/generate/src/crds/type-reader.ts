import { asJson, deepCopy, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@pintle/machinery/json';
import { conditions, defineResource, EXACT_WORDS } from '@pintle/operator';
import { type Place, SourceError } from '../errors.ts';
import { type Doc, docOf } from '../sources/tags.ts';
import { applyDoc, FIELD_TAGS, wordsOf } from './apply-tags.ts';
import type { Declaration, Member, SourceFile, SourceFiles, TypeNode } from './source-file.ts';

/** A field as an interface has it. */
export interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  readonly doc: Doc;
  readonly place: Place;
}

/**
 * Makes schemas of types. A schema holds its words as they will stand in the definition; only unions and intersections
 * of objects are left to `defineResource`, which puts them together.
 */
export class TypeReader {
  readonly #files: SourceFiles;
  /** What is being written out: a type that meets itself again has no end. */
  readonly #open = new Set<Declaration>();
  /** Where the fields stand, by their path in the resource. */
  readonly places = new Map<string, Place>();

  constructor(files: SourceFiles) {
    this.#files = files;
  }

  read(node: TypeNode, file: SourceFile, path: string): JsonObject {
    switch (node.type) {
      case 'TSStringKeyword':
        return exact({ type: 'string' });
      case 'TSNumberKeyword':
        return exact({ type: 'number' });
      case 'TSBooleanKeyword':
        return exact({ type: 'boolean' });
      case 'TSUnknownKeyword':
      case 'TSAnyKeyword':
        return exact({ 'x-kubernetes-preserve-unknown-fields': true });
      case 'TSObjectKeyword':
        return exact({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
      case 'TSParenthesizedType':
        return this.read(node.typeAnnotation, file, path);
      case 'TSTypeOperator':
        if (node.operator === 'readonly') return this.read(node.typeAnnotation, file, path);
        break;
      case 'TSArrayType':
        return arrayOf(this.read(node.elementType, file, `${path}[]`));
      case 'TSLiteralType':
        return this.#union([node], file, path);
      case 'TSUnionType':
        return this.#union(node.types, file, path);
      case 'TSIntersectionType':
        return { allOf: node.types.map((type) => this.read(type, file, path)) };
      case 'TSTypeLiteral':
        return this.#object(node.members, file, path);
      case 'TSTypeReference':
        return this.#reference(node, file, path);
    }
    throw new SourceError(file.placeOf(node), `${path}: this kind of type has no counterpart in a definition`);
  }

  /** The fields of an interface, with those that it takes over from others. */
  fieldsOf(declaration: Declaration, path: string): Field[] {
    const { node, file } = declaration;
    if (node.type !== 'TSInterfaceDeclaration')
      throw new SourceError(declaration.place, `${declaration.name} is not an interface`);
    const fields = new Map<string, Field>();
    for (const parent of node.extends ?? []) {
      const { expression } = parent;
      const name = expression.type === 'Identifier' ? expression.name : '';
      const found = this.#files.find(name, file);
      if (found === undefined || !('node' in found)) {
        if (found !== undefined && IDENTITIES.has(found.name)) continue;
        throw new SourceError(file.placeOf(parent), `cannot find ${name || 'what it extends'}`);
      }
      for (const field of this.fieldsOf(found, path)) fields.set(field.name, field);
    }
    for (const field of this.#members(node.body.body, file, path)) fields.set(field.name, field);
    return [...fields.values()];
  }

  #members(members: readonly Member[], file: SourceFile, path: string): Field[] {
    return members.flatMap((member) => (member.type === 'TSIndexSignature' ? [] : [this.#field(member, file, path)]));
  }

  #field(member: Member, file: SourceFile, path: string): Field {
    const place = file.placeOf(member);
    if (member.type !== 'TSPropertySignature' || !member.typeAnnotation)
      throw new SourceError(place, 'a resource has fields with types only');
    const name = keyOf(member);
    if (name === undefined) throw new SourceError(place, 'the name of a field must be written out');
    const doc = docOf(file.shown, member.leadingComments);
    const below = path === '' ? name : `${path}.${name}`;
    this.places.set(below, place);
    const type = member.typeAnnotation.typeAnnotation;
    const schema = this.read(type as TypeNode, file, below);
    applyDoc(schema, doc);
    const isOptional =
      member.optional === true || mayBeUndefined(type as TypeNode) || wordsOf(schema).default !== undefined;
    const said = doc.tags.findLast((tag) => FIELD_TAGS.has(tag.name))?.name;
    return { name, schema, isRequired: said === undefined ? !isOptional : said === 'required', doc, place };
  }

  #object(members: readonly Member[], file: SourceFile, path: string): JsonObject {
    const index = members.find((member) => member.type === 'TSIndexSignature');
    const fields = this.#members(members, file, path);
    if (index === undefined) return objectOf(fields);
    if (!index.typeAnnotation) throw new SourceError(file.placeOf(index), 'values by key need a type');
    const values = this.read(index.typeAnnotation.typeAnnotation as TypeNode, file, `${path}{}`);
    return mapOf(values, fields, file.placeOf(index));
  }

  #reference(node: Extract<TypeNode, { type: 'TSTypeReference' }>, file: SourceFile, path: string): JsonObject {
    const place = file.placeOf(node);
    const name = node.typeName.type === 'Identifier' ? node.typeName.name : '';
    const found = this.#files.find(name, file);
    if (found !== undefined && 'node' in found) return this.#declared(found, place, path);
    const parameters = (node.typeParameters?.params ?? []) as TypeNode[];
    const [first, second] = parameters;
    if (found === undefined && first !== undefined) {
      if (ARRAYS.has(name)) return arrayOf(this.read(first, file, `${path}[]`));
      if (name === 'Readonly') return this.read(first, file, path);
      if (name === 'Partial' || name === 'Required') return this.#allOptional(first, file, path, name === 'Partial');
      if (name === 'Record' && second !== undefined) return this.#record(first, second, file, path);
      if ((name === 'Pick' || name === 'Omit') && second !== undefined)
        return this.#some(first, namesIn(second, file), name === 'Pick', file, path);
    }
    const known = knownType(found?.name ?? name, found?.from);
    if (known !== undefined) return known;
    if (found !== undefined)
      throw new SourceError(place, `${name} comes from ${found.from}: only types of this project can be followed`);
    throw new SourceError(place, `cannot find ${name === '' ? 'this type' : name}`);
  }

  #declared(declaration: Declaration, place: Place, path: string): JsonObject {
    if (this.#open.has(declaration))
      throw new SourceError(place, `${declaration.name} contains itself, and the schema of a resource must end`);
    this.#open.add(declaration);
    const schema = this.#written(declaration, path);
    this.#open.delete(declaration);
    applyDoc(schema, declaration.doc);
    return schema;
  }

  #written(declaration: Declaration, path: string): JsonObject {
    const { node, file } = declaration;
    if (node.type === 'TSTypeAliasDeclaration') return this.read(node.typeAnnotation, file, path);
    if (node.type === 'TSEnumDeclaration') return enumOf(declaration);
    const index = node.body.body.find((member) => member.type === 'TSIndexSignature');
    if (index !== undefined) return this.#object(node.body.body, file, path);
    return objectOf(this.fieldsOf(declaration, path));
  }

  #record(keys: TypeNode, values: TypeNode, file: SourceFile, path: string): JsonObject {
    const schema = this.read(values, file, `${path}{}`);
    if (keys.type === 'TSStringKeyword') return mapOf(schema, [], file.placeOf(keys));
    const names = namesIn(keys, file);
    const properties: JsonObject = {};
    for (const name of names) setOwn(properties, name, deepCopy(schema));
    return { ...exact({ type: 'object' }), properties, required: names };
  }

  #allOptional(type: TypeNode, file: SourceFile, path: string, isOptional: boolean): JsonObject {
    const { required: _required, ...schema } = this.read(type, file, path);
    if (isOptional || !isJsonObject(schema.properties ?? null)) return schema;
    return { ...schema, required: Object.keys(schema.properties as JsonObject) };
  }

  #some(type: TypeNode, names: readonly string[], isKept: boolean, file: SourceFile, path: string): JsonObject {
    const schema = this.read(type, file, path);
    const isIn = (name: string): boolean => names.includes(name) === isKept;
    const properties = Object.entries((schema.properties ?? {}) as JsonObject).filter(([name]) => isIn(name));
    const required = ((schema.required ?? []) as string[]).filter(isIn);
    return { ...schema, properties: Object.fromEntries(properties), required };
  }

  #union(types: readonly TypeNode[], file: SourceFile, path: string): JsonObject {
    const others = types.filter((type) => type.type !== 'TSUndefinedKeyword' && type.type !== 'TSNullKeyword');
    const schema = this.#choice(others, file, path);
    if (types.some((type) => type.type === 'TSNullKeyword')) wordsOf(schema).nullable = true;
    return schema;
  }

  #choice(types: readonly TypeNode[], file: SourceFile, path: string): JsonObject {
    const values = types.map(literalOf);
    const [first] = types;
    if (first === undefined)
      throw new SourceError({ file: file.shown, line: 1 }, `${path}: nothing can be stored here`);
    if (values.every((value) => value !== undefined)) {
      const kinds = new Set(values.map((value) => typeof value));
      if (kinds.size > 1) throw new SourceError(file.placeOf(first), `${path}: the values are of several types`);
      const type = [...kinds][0]!;
      if (type === 'boolean' && values.length === 2) return exact({ type });
      return exact({ type, enum: values });
    }
    if (types.length === 1) return this.read(first, file, path);
    const kinds = types.map(({ type }) => type).sort();
    if (kinds.length === 2 && kinds[0] === 'TSNumberKeyword' && kinds[1] === 'TSStringKeyword') return intOrString();
    return { anyOf: types.map((type) => this.read(type, file, path)) };
  }
}

const ARRAYS: ReadonlySet<string> = new Set(['Array', 'ReadonlyArray', 'Set', 'ReadonlySet']);
/** What objects are known by: every resource has it. */
const IDENTITIES: ReadonlySet<string> = new Set(['KubernetesObject']);

function exact(words: JsonObject): JsonObject {
  return { [EXACT_WORDS]: words };
}

function objectOf(fields: readonly Field[]): JsonObject {
  const properties: JsonObject = {};
  for (const { name, schema } of fields) setOwn(properties, name, schema);
  const required = fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
  return { ...exact({ type: 'object' }), properties, required };
}

function arrayOf(items: JsonObject): JsonObject {
  return { ...exact({ type: 'array' }), items };
}

/** Values of any kind beside fields with names: what is not known is kept. */
function mapOf(values: JsonObject, fields: readonly Field[], place: Place): JsonObject {
  const words = wordsOf(values);
  const isAnything = words['x-kubernetes-preserve-unknown-fields'] === true && words.type === undefined;
  if (fields.length > 0) {
    if (!isAnything) throw new SourceError(place, 'an object has either fields with names or values by key, not both');
    const schema = objectOf(fields);
    wordsOf(schema)['x-kubernetes-preserve-unknown-fields'] = true;
    return schema;
  }
  if (isAnything) return exact({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  return { ...exact({ type: 'object' }), additionalProperties: values };
}

function intOrString(): JsonObject {
  return exact({ anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true });
}

function enumOf({ node, place, name }: Declaration): JsonObject {
  if (node.type !== 'TSEnumDeclaration') throw new SourceError(place, `${name} is not an enum`);
  const values = node.members.map(({ initializer }) =>
    initializer?.type === 'StringLiteral' ? initializer.value : undefined,
  );
  if (values.some((value) => value === undefined)) throw new SourceError(place, `${name}: its values must be texts`);
  return exact({ type: 'string', enum: values as string[] });
}

function literalOf(node: TypeNode): string | number | boolean | undefined {
  if (node.type !== 'TSLiteralType') return undefined;
  const { literal } = node;
  if (literal.type === 'StringLiteral' || literal.type === 'NumericLiteral' || literal.type === 'BooleanLiteral')
    return literal.value;
  const isNegative = literal.type === 'UnaryExpression' && literal.operator === '-';
  if (isNegative && literal.argument.type === 'NumericLiteral') return -literal.argument.value;
  return undefined;
}

function namesIn(node: TypeNode, file: SourceFile): string[] {
  const types = node.type === 'TSUnionType' ? node.types : [node];
  return types.map((type) => {
    const name = literalOf(type);
    if (typeof name !== 'string') throw new SourceError(file.placeOf(node), 'names must be written out here');
    return name;
  });
}

function mayBeUndefined(node: TypeNode): boolean {
  return node.type === 'TSUnionType' && node.types.some(({ type }) => type === 'TSUndefinedKeyword');
}

function keyOf(member: Extract<Member, { type: 'TSPropertySignature' }>): string | undefined {
  const { key } = member;
  if (key.type === 'StringLiteral') return key.value;
  if (key.type === 'NumericLiteral') return String(key.value);
  return key.type === 'Identifier' && !member.computed ? key.name : undefined;
}

/** The schema as it stands in a definition, where nothing is left to put together. */
export function flattened(schema: JsonValue, place: Place): JsonObject {
  if (!isJsonObject(schema) || !isJsonObject(schema[EXACT_WORDS] ?? null))
    throw new SourceError(place, 'unions and intersections of objects have their place below spec and status only');
  const { properties, required, items, additionalProperties } = schema;
  const fields: JsonObject = {};
  if (properties !== undefined && isJsonObject(properties))
    for (const [name, property] of Object.entries(properties)) setOwn(fields, name, flattened(property, place));
  return {
    ...(Object.keys(fields).length > 0 && { properties: fields }),
    ...(Array.isArray(required) && required.length > 0 && { required }),
    ...(items !== undefined && { items: flattened(items, place) }),
    ...(additionalProperties !== undefined && { additionalProperties: flattened(additionalProperties, place) }),
    ...(schema[EXACT_WORDS] as JsonObject),
  };
}

/** Types that need not be written out: of the language, and of Pintle's packages. */
function knownType(name: string, from: string | undefined): JsonObject | undefined {
  if (from === undefined) return name === 'Date' ? words({ type: 'string', format: 'date-time' }) : undefined;
  if (!from.startsWith('@pintle/')) return undefined;
  if (name === 'Condition') return conditionSchema();
  return name === 'ObjectMeta' ? words({ type: 'object' }) : undefined;
}

/** As `conditions()` has it. */
function conditionSchema(): JsonObject {
  const options = { group: 'pintle.dev', version: 'v1', kind: 'Conditions', spec: conditions() };
  const { spec } = defineResource(options).definition.spec.versions[0]!.schema!.openAPIV3Schema!.properties!;
  return words(deepCopy(asJson(spec!.items) as JsonObject));
}

function words(schema: JsonObject): JsonObject {
  return { [EXACT_WORDS]: schema };
}
