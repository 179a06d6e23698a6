import { asJson, deepCopy, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@pintle/machinery/json';
import { conditions, defineResource, EXACT_KEYWORDS } from '@pintle/operator';
import { SourceError, type SourceLocation } from '../errors.ts';
import { type Doc, docOf } from '../sources/tags.ts';
import { applyDoc, FIELD_TAGS, keywordsOf } from './apply-tags.ts';
import type { Declaration, Member, SourceFile, SourceFiles, TypeNode } from './source-file.ts';

/** A field of an interface. */
export interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  readonly doc: Doc;
  readonly location: SourceLocation;
}

/**
 * Converts types to schemas with the keywords of the CRD. Unions and intersections of objects are left to `defineResource`,
 * which merges them.
 */
export class TypeReader {
  readonly #files: SourceFiles;
  /** Types that are being expanded, to find recursive ones. */
  readonly #open = new Set<Declaration>();
  /** Locations of fields, by their path in the resource. */
  readonly locations = new Map<string, SourceLocation>();

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
    throw new SourceError(file.locationOf(node), `${path}: a CRD cannot express this type`);
  }

  /** Returns the fields of an interface, with the inherited ones. */
  fieldsOf(declaration: Declaration, path: string): Field[] {
    const { node, file } = declaration;
    if (node.type !== 'TSInterfaceDeclaration')
      throw new SourceError(declaration.location, `${declaration.name} is not an interface`);
    const fields = new Map<string, Field>();
    for (const parent of node.extends ?? []) {
      const { expression } = parent;
      const name = expression.type === 'Identifier' ? expression.name : '';
      const found = this.#files.find(name, file);
      if (found === undefined || !('node' in found)) {
        if (found !== undefined && IDENTITIES.has(found.name)) continue;
        throw new SourceError(file.locationOf(parent), `cannot find ${name || 'the extended type'}`);
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
    const location = file.locationOf(member);
    if (member.type !== 'TSPropertySignature' || !member.typeAnnotation)
      throw new SourceError(location, 'a field of a resource must be a property with a type');
    const name = keyOf(member);
    if (name === undefined) throw new SourceError(location, 'the name of a field must be a literal');
    const doc = docOf(file.shown, member.leadingComments);
    const below = path === '' ? name : `${path}.${name}`;
    this.locations.set(below, location);
    const type = member.typeAnnotation.typeAnnotation;
    const schema = this.read(type as TypeNode, file, below);
    applyDoc(schema, doc);
    const isOptional =
      member.optional === true || mayBeUndefined(type as TypeNode) || keywordsOf(schema).default !== undefined;
    const presence = doc.tags.findLast((tag) => FIELD_TAGS.has(tag.name))?.name;
    return { name, schema, isRequired: presence === undefined ? !isOptional : presence === 'required', doc, location };
  }

  #object(members: readonly Member[], file: SourceFile, path: string): JsonObject {
    const index = members.find((member) => member.type === 'TSIndexSignature');
    const fields = this.#members(members, file, path);
    if (index === undefined) return objectOf(fields);
    if (!index.typeAnnotation) throw new SourceError(file.locationOf(index), 'values by key need a type');
    const values = this.read(index.typeAnnotation.typeAnnotation as TypeNode, file, `${path}{}`);
    return mapOf(values, fields, file.locationOf(index));
  }

  #reference(node: Extract<TypeNode, { type: 'TSTypeReference' }>, file: SourceFile, path: string): JsonObject {
    const location = file.locationOf(node);
    const name = node.typeName.type === 'Identifier' ? node.typeName.name : '';
    const found = this.#files.find(name, file);
    if (found !== undefined && 'node' in found) return this.#declared(found, location, path);
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
      throw new SourceError(location, `${name} comes from ${found.from}: only types of this project can be read`);
    throw new SourceError(location, `cannot find ${name === '' ? 'this type' : name}`);
  }

  #declared(declaration: Declaration, location: SourceLocation, path: string): JsonObject {
    if (this.#open.has(declaration))
      throw new SourceError(location, `${declaration.name} is recursive, which the schema of a resource cannot be`);
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
    if (keys.type === 'TSStringKeyword') return mapOf(schema, [], file.locationOf(keys));
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
    if (types.some((type) => type.type === 'TSNullKeyword')) keywordsOf(schema).nullable = true;
    return schema;
  }

  #choice(types: readonly TypeNode[], file: SourceFile, path: string): JsonObject {
    const values = types.map(literalOf);
    const [first] = types;
    if (first === undefined) throw new SourceError({ file: file.shown, line: 1 }, `${path}: the type has no values`);
    if (values.every((value) => value !== undefined)) {
      const kinds = new Set(values.map((value) => typeof value));
      if (kinds.size > 1) throw new SourceError(file.locationOf(first), `${path}: the values have different types`);
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
/** Interfaces with the identity of an object, which every resource has. */
const IDENTITIES: ReadonlySet<string> = new Set(['KubernetesObject']);

function exact(keywords: JsonObject): JsonObject {
  return { [EXACT_KEYWORDS]: keywords };
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

/** Returns the schema of a map. With named fields beside values of any type, unknown fields are preserved. */
function mapOf(values: JsonObject, fields: readonly Field[], location: SourceLocation): JsonObject {
  const keywords = keywordsOf(values);
  const isAnything = keywords['x-kubernetes-preserve-unknown-fields'] === true && keywords.type === undefined;
  if (fields.length > 0) {
    if (!isAnything)
      throw new SourceError(location, 'an object has either named fields or an index signature, not both');
    const schema = objectOf(fields);
    keywordsOf(schema)['x-kubernetes-preserve-unknown-fields'] = true;
    return schema;
  }
  if (isAnything) return exact({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  return { ...exact({ type: 'object' }), additionalProperties: values };
}

function intOrString(): JsonObject {
  return exact({ anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true });
}

function enumOf({ node, location, name }: Declaration): JsonObject {
  if (node.type !== 'TSEnumDeclaration') throw new SourceError(location, `${name} is not an enum`);
  const values = node.members.map(({ initializer }) =>
    initializer?.type === 'StringLiteral' ? initializer.value : undefined,
  );
  if (values.some((value) => value === undefined))
    throw new SourceError(location, `${name}: the values must be strings`);
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
    if (typeof name !== 'string') throw new SourceError(file.locationOf(node), 'names must be literals here');
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

/** Returns the schema of a CRD. Throws SourceError when unions or intersections of objects are left. */
export function flattened(schema: JsonValue, location: SourceLocation): JsonObject {
  if (!isJsonObject(schema) || !isJsonObject(schema[EXACT_KEYWORDS] ?? null))
    throw new SourceError(location, 'unions and intersections of objects are only allowed below spec and status');
  const { properties, required, items, additionalProperties } = schema;
  const fields: JsonObject = {};
  if (properties !== undefined && isJsonObject(properties))
    for (const [name, property] of Object.entries(properties)) setOwn(fields, name, flattened(property, location));
  return {
    ...(Object.keys(fields).length > 0 && { properties: fields }),
    ...(Array.isArray(required) && required.length > 0 && { required }),
    ...(items !== undefined && { items: flattened(items, location) }),
    ...(additionalProperties !== undefined && { additionalProperties: flattened(additionalProperties, location) }),
    ...(schema[EXACT_KEYWORDS] as JsonObject),
  };
}

/** Returns the schema of a known type, of the language or of Pintle's packages. */
function knownType(name: string, from: string | undefined): JsonObject | undefined {
  if (from === undefined) return name === 'Date' ? keywords({ type: 'string', format: 'date-time' }) : undefined;
  if (!from.startsWith('@pintle/')) return undefined;
  if (name === 'Condition') return conditionSchema();
  return name === 'ObjectMeta' ? keywords({ type: 'object' }) : undefined;
}

/** Returns the schema of `conditions()`. */
function conditionSchema(): JsonObject {
  const options = { group: 'pintle.dev', version: 'v1', kind: 'Conditions', spec: conditions() };
  const { spec } = defineResource(options).definition.spec.versions[0]!.schema!.openAPIV3Schema!.properties!;
  return keywords(deepCopy(asJson(spec!.items) as JsonObject));
}

function keywords(schema: JsonObject): JsonObject {
  return { [EXACT_KEYWORDS]: schema };
}
