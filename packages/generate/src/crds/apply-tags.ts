import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { isJsonObject, type JsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { EXACT_WORDS } from '@pintle/operator';
import { SourceError } from '../errors.ts';
import { type Doc, FOREIGN_TAGS, jsonOf, type Tag } from '../sources/tags.ts';

type Words = Record<string, unknown>;
type Apply = (words: Words, tag: Tag) => void;

/** Tags of a field that are about the object it stands in. */
export const FIELD_TAGS: ReadonlySet<string> = new Set(['optional', 'required']);

/** Says of a schema what a comment says of it. What is said later, or nearer, counts more. */
export function applyDoc(schema: JsonObject, doc: Doc, foreign: ReadonlySet<string> = FIELD_TAGS): void {
  if (doc.description !== undefined) wordsOf(schema).description = doc.description;
  // The type comes first: values are read by it.
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
      throw new SourceError(tag.place, `@${tag.name}: there are no ${first} here`);
    applyTag(below, tag, rest.join('.'));
    return;
  }
  const apply = Object.hasOwn(TAGS, name) ? TAGS[name] : undefined;
  if (apply === undefined) throw new SourceError(tag.place, `@${tag.name} is not known`);
  apply(wordsOf(schema), tag);
}

/** Unions are put together later, from their members; what is said of them stands beside these. */
export function wordsOf(schema: JsonObject): Words {
  const exact = schema[EXACT_WORDS];
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
  format: (words, tag) => {
    if (words.type === 'number' && /^u?int(?:32|64)$/.test(tag.value)) words.type = 'integer';
    text('format', [...STRINGS, ...NUMBERS])(words, tag);
  },
  title: text('title'),
  description: (words, { value, place, name }) => {
    words.description = value.startsWith('"') ? jsonOf(value, name, place) : value;
  },
  enum: (words, tag) => {
    words.enum = tag.value.startsWith('[') ? jsonOf(tag.value, tag.name, tag.place) : listOf(words, tag);
  },
  default: (words, { value, place, name }) => {
    const isText = words.type === 'string' && !value.startsWith('"');
    words.default = isText ? value : jsonOf(value, name, place);
  },
  listType: oneOf('x-kubernetes-list-type', ['atomic', 'set', 'map'], 'array'),
  listMapKey: (words, tag) => {
    checkType(words, tag, ['array']);
    const known = (words['x-kubernetes-list-map-keys'] as string[] | undefined) ?? [];
    words['x-kubernetes-list-map-keys'] = [...known, ...tag.value.split(/[\s,;]+/)];
  },
  mapType: oneOf('x-kubernetes-map-type', ['atomic', 'granular'], 'object'),
  structType: oneOf('x-kubernetes-map-type', ['atomic', 'granular'], 'object'),
  nullable: flag('nullable'),
  uniqueItems: flag('uniqueItems'),
  preserveUnknownFields: flag('x-kubernetes-preserve-unknown-fields'),
  embeddedResource: flag('x-kubernetes-embedded-resource'),
  integer: (words, tag) => {
    checkType(words, tag, NUMBERS);
    words.type = 'integer';
  },
  intOrString: (words) => {
    delete words.type;
    delete words['x-kubernetes-preserve-unknown-fields'];
    Object.assign(words, { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true });
  },
  type: (words, { value }) => {
    words.type = value;
    if (value !== 'object') delete words['x-kubernetes-preserve-unknown-fields'];
  },
  rule: (words, tag) => {
    const known = (words['x-kubernetes-validations'] as unknown[] | undefined) ?? [];
    words['x-kubernetes-validations'] = [...known, ruleOf(tag)];
  },
  exactly: (words, { value, place, name }) => {
    for (const word of Object.keys(words)) delete words[word];
    Object.assign(words, jsonOf(value, name, place));
  },
  schema: (words, { value, place, name }) => {
    const given = jsonOf(value, name, place);
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new SourceError(place, '@schema takes an object');
    if ('x-kubernetes-int-or-string' in given) delete words.type;
    Object.assign(words, given);
  },
});

const RULE_OPTION = /\s(message|messageExpression|reason|fieldPath|optionalOldSelf)=("(?:[^"\\]|\\.)*"|\S+)$/;

/** `@rule self.min <= self.max message="min is at most max"`, or all of it as JSON. */
export function ruleOf({ name, value, place }: Tag): NonNullable<JSONSchemaProps['x-kubernetes-validations']>[number] {
  if (value.startsWith('{"')) return jsonOf(value, name, place) as { rule: string };
  let rest = value;
  const options: Record<string, unknown> = {};
  for (let found = RULE_OPTION.exec(rest); found !== null; found = RULE_OPTION.exec(rest)) {
    const [whole, key = '', given = ''] = found;
    options[key] = given.startsWith('"') || key === 'optionalOldSelf' ? jsonOf(given, name, place) : given;
    rest = rest.slice(0, -whole.length).trimEnd();
  }
  if (rest === '') throw new SourceError(place, '@rule takes an expression in CEL');
  return { rule: rest, ...options };
}

function checkType(words: Words, { name, place }: Tag, types: readonly string[]): void {
  if (words['x-kubernetes-int-or-string'] === true || (words.type === undefined && words.anyOf !== undefined)) return;
  if (!types.includes(String(words.type)))
    throw new SourceError(place, `@${name} is for ${types.join(' and ')}, this is ${String(words.type ?? 'anything')}`);
}

function number(word: string, types: readonly string[]): Apply {
  return (words, tag) => {
    checkType(words, tag, types);
    words[word] = numberOf(tag);
  };
}

function numberOf({ name, value, place }: Tag): number {
  const given = Number(value);
  if (value === '' || !Number.isFinite(given))
    throw new SourceError(place, `@${name} takes a number, not ${JSON.stringify(value)}`);
  return given;
}

/** `@exclusiveMinimum 0` is a bound; without a number it speaks of the bound beside it. */
function exclusive(bound: string, word: string): Apply {
  return (words, tag) => {
    checkType(words, tag, NUMBERS);
    if (tag.value !== '' && tag.value !== 'true') words[bound] = numberOf(tag);
    words[word] = true;
  };
}

function text(word: string, types?: readonly string[]): Apply {
  return (words, tag) => {
    if (types !== undefined) checkType(words, tag, types);
    if (tag.value === '') throw new SourceError(tag.place, `@${tag.name} takes a text`);
    words[word] = tag.value.startsWith('"') ? jsonOf(tag.value, tag.name, tag.place) : tag.value;
  };
}

function flag(word: string): Apply {
  return (words, { name, value, place }) => {
    if (value !== '' && value !== 'true' && value !== 'false')
      throw new SourceError(place, `@${name} stands alone, or with true or false`);
    if (value === 'false') delete words[word];
    else words[word] = true;
  };
}

function oneOf(word: string, values: readonly string[], type: string): Apply {
  return (words, tag) => {
    checkType(words, tag, [type]);
    if (!values.includes(tag.value)) throw new SourceError(tag.place, `@${tag.name} is one of ${values.join(', ')}`);
    words[word] = tag.value;
  };
}

function listOf({ type }: Words, { value }: Tag): unknown[] {
  const values = value.split(/\s*[,;]\s*/).filter((each) => each !== '');
  return type === 'integer' || type === 'number' ? values.map(Number) : values;
}
