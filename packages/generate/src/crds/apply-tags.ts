import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { isJsonObject, type JsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { EXACT_KEYWORDS } from '@pintle/operator';
import { SourceError } from '../errors.ts';
import { type Doc, FOREIGN_TAGS, jsonOf, type Tag } from '../sources/tags.ts';

type Keywords = Record<string, unknown>;
type Apply = (keywords: Keywords, tag: Tag) => void;

/** Tags of a field that concern the object that holds it. */
export const FIELD_TAGS: ReadonlySet<string> = new Set(['optional', 'required']);

/** Applies the tags of a comment to a schema. Later and nearer tags override earlier ones. */
export function applyDoc(schema: JsonObject, doc: Doc, foreign: ReadonlySet<string> = FIELD_TAGS): void {
  if (doc.description !== undefined) keywordsOf(schema).description = doc.description;
  // Tags of the type come first: it decides how values are read.
  const tags = [...doc.tags].sort((a, b) => Number(isAboutType(b)) - Number(isAboutType(a)));
  for (const tag of tags) if (!foreign.has(tag.name) && !FOREIGN_TAGS.has(tag.name)) applyTag(schema, tag, tag.name);
}

function isAboutType({ name }: Tag): boolean {
  return ['integer', 'type', 'format', 'intOrString'].includes(name.split('.').at(-1)!);
}

function applyTag(schema: JsonObject, tag: Tag, name: string): void {
  const [first, ...rest] = name.split('.');
  if (rest.length > 0 && (first === 'items' || first === 'values')) {
    const below = schema[first === 'items' ? 'items' : 'additionalProperties'];
    if (below === undefined || !isJsonObject(below))
      throw new SourceError(tag.location, `@${tag.name}: the type has no ${first}`);
    applyTag(below, tag, rest.join('.'));
    return;
  }
  const apply = Object.hasOwn(TAGS, name) ? TAGS[name] : undefined;
  if (apply === undefined) throw new SourceError(tag.location, `@${tag.name} is not a known tag`);
  apply(keywordsOf(schema), tag);
}

/** Returns the keywords of a schema. Those of unions are kept apart, since unions are built later from their members. */
export function keywordsOf(schema: JsonObject): Keywords {
  const exact = schema[EXACT_KEYWORDS];
  return exact !== undefined && isJsonObject(exact) ? exact : schema;
}

const STRINGS = ['string'];
const NUMBERS = ['integer', 'number'];

const TAGS: Readonly<Record<string, Apply>> = table({
  minimum: number('minimum', NUMBERS),
  maximum: number('maximum', NUMBERS),
  exclusiveMinimum: exclusive('minimum', 'exclusiveMinimum'),
  exclusiveMaximum: exclusive('maximum', 'exclusiveMaximum'),
  multipleOf: number('multipleOf', NUMBERS),
  minLength: number('minLength', STRINGS),
  maxLength: number('maxLength', STRINGS),
  minItems: number('minItems', ['array']),
  maxItems: number('maxItems', ['array']),
  minProperties: number('minProperties', ['object']),
  maxProperties: number('maxProperties', ['object']),
  pattern: text('pattern', STRINGS),
  format: (keywords, tag) => {
    if (keywords.type === 'number' && /^u?int(?:32|64)$/.test(tag.value)) keywords.type = 'integer';
    text('format', [...STRINGS, ...NUMBERS])(keywords, tag);
  },
  title: text('title'),
  description: (keywords, { value, location, name }) => {
    keywords.description = value.startsWith('"') ? jsonOf(value, name, location) : value;
  },
  enum: (keywords, tag) => {
    keywords.enum = tag.value.startsWith('[') ? jsonOf(tag.value, tag.name, tag.location) : listOf(keywords, tag);
  },
  default: (keywords, { value, location, name }) => {
    const isText = keywords.type === 'string' && !value.startsWith('"');
    keywords.default = isText ? value : jsonOf(value, name, location);
  },
  listType: oneOf('x-kubernetes-list-type', ['atomic', 'set', 'map'], 'array'),
  listMapKey: (keywords, tag) => {
    checkType(keywords, tag, ['array']);
    const known = (keywords['x-kubernetes-list-map-keys'] as string[] | undefined) ?? [];
    keywords['x-kubernetes-list-map-keys'] = [...known, ...tag.value.split(/[\s,;]+/)];
  },
  mapType: oneOf('x-kubernetes-map-type', ['atomic', 'granular'], 'object'),
  structType: oneOf('x-kubernetes-map-type', ['atomic', 'granular'], 'object'),
  nullable: flag('nullable'),
  uniqueItems: flag('uniqueItems'),
  preserveUnknownFields: flag('x-kubernetes-preserve-unknown-fields'),
  embeddedResource: flag('x-kubernetes-embedded-resource'),
  integer: (keywords, tag) => {
    checkType(keywords, tag, NUMBERS);
    keywords.type = 'integer';
  },
  intOrString: (keywords) => {
    delete keywords.type;
    delete keywords['x-kubernetes-preserve-unknown-fields'];
    Object.assign(keywords, { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true });
  },
  type: (keywords, { value }) => {
    keywords.type = value;
    if (value !== 'object') delete keywords['x-kubernetes-preserve-unknown-fields'];
  },
  rule: (keywords, tag) => {
    const known = (keywords['x-kubernetes-validations'] as unknown[] | undefined) ?? [];
    keywords['x-kubernetes-validations'] = [...known, ruleOf(tag)];
  },
  exactly: (keywords, { value, location, name }) => {
    for (const word of Object.keys(keywords)) delete keywords[word];
    Object.assign(keywords, jsonOf(value, name, location));
  },
  schema: (keywords, { value, location, name }) => {
    const given = jsonOf(value, name, location);
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new SourceError(location, '@schema takes an object');
    if ('x-kubernetes-int-or-string' in given) delete keywords.type;
    Object.assign(keywords, given);
  },
});

const RULE_OPTION = /\s(message|messageExpression|reason|fieldPath|optionalOldSelf)=("(?:[^"\\]|\\.)*"|\S+)$/;

/** Reads a rule such as `@rule self.min <= self.max message="min is at most max"`, or JSON. */
export function ruleOf({
  name,
  value,
  location,
}: Tag): NonNullable<JSONSchemaProps['x-kubernetes-validations']>[number] {
  if (value.startsWith('{"')) return jsonOf(value, name, location) as { rule: string };
  let rest = value;
  const options: Record<string, unknown> = {};
  for (let found = RULE_OPTION.exec(rest); found !== null; found = RULE_OPTION.exec(rest)) {
    const [whole, key = '', given = ''] = found;
    options[key] = given.startsWith('"') || key === 'optionalOldSelf' ? jsonOf(given, name, location) : given;
    rest = rest.slice(0, -whole.length).trimEnd();
  }
  if (rest === '') throw new SourceError(location, '@rule takes a CEL expression');
  return { rule: rest, ...options };
}

function checkType(keywords: Keywords, { name, location }: Tag, types: readonly string[]): void {
  if (keywords['x-kubernetes-int-or-string'] === true || (keywords.type === undefined && keywords.anyOf !== undefined))
    return;
  if (!types.includes(String(keywords.type)))
    throw new SourceError(
      location,
      `@${name} is for ${types.join(' and ')}, this is ${String(keywords.type ?? 'anything')}`,
    );
}

function number(word: string, types: readonly string[]): Apply {
  return (keywords, tag) => {
    checkType(keywords, tag, types);
    keywords[word] = numberOf(tag);
  };
}

function numberOf({ name, value, location }: Tag): number {
  const given = Number(value);
  if (value === '' || !Number.isFinite(given))
    throw new SourceError(location, `@${name} takes a number, not ${JSON.stringify(value)}`);
  return given;
}

/** `@exclusiveMinimum 0` is a bound; without a number the tag modifies `@minimum`. */
function exclusive(bound: string, word: string): Apply {
  return (keywords, tag) => {
    checkType(keywords, tag, NUMBERS);
    if (tag.value !== '' && tag.value !== 'true') keywords[bound] = numberOf(tag);
    keywords[word] = true;
  };
}

function text(word: string, types?: readonly string[]): Apply {
  return (keywords, tag) => {
    if (types !== undefined) checkType(keywords, tag, types);
    if (tag.value === '') throw new SourceError(tag.location, `@${tag.name} takes a string`);
    keywords[word] = tag.value.startsWith('"') ? jsonOf(tag.value, tag.name, tag.location) : tag.value;
  };
}

function flag(word: string): Apply {
  return (keywords, { name, value, location }) => {
    if (value !== '' && value !== 'true' && value !== 'false')
      throw new SourceError(location, `@${name} takes no value, true or false`);
    if (value === 'false') delete keywords[word];
    else keywords[word] = true;
  };
}

function oneOf(word: string, values: readonly string[], type: string): Apply {
  return (keywords, tag) => {
    checkType(keywords, tag, [type]);
    if (!values.includes(tag.value)) throw new SourceError(tag.location, `@${tag.name} is one of ${values.join(', ')}`);
    keywords[word] = tag.value;
  };
}

function listOf({ type }: Keywords, { value }: Tag): unknown[] {
  const values = value.split(/\s*[,;]\s*/).filter((each) => each !== '');
  return type === 'integer' || type === 'number' ? values.map(Number) : values;
}
