import { FieldPath } from '../../errors/index.ts';
import type { Schema } from '../../schema/schema.ts';

/** A step of a rule's `fieldPath`: the name of a property, or a key of a map. */
export interface RulePathStep {
  readonly name: string;
  readonly isKey: boolean;
}

/**
 * Reads the `fieldPath` of a rule, which names a field or map key below the rule's own place: `.spec.names['a.b']`.
 * `undefined` when it is not well-formed or leads nowhere in the schema.
 */
export function parseRulePath(path: string, schema: Schema): readonly RulePathStep[] | undefined {
  const steps: RulePathStep[] = [];
  let current: Schema | undefined = schema;
  const tokens = tokenize(path);
  for (let at = 0; at < tokens.length; at++) {
    const name = nameAt(tokens, at);
    if (name === undefined || current === undefined) return undefined;
    at += tokens[at] === '[' ? 2 : 1;
    const { properties, additionalProperties }: Schema = current;
    if (properties !== undefined) {
      if (!Object.hasOwn(properties, name)) return undefined;
      current = properties[name];
      steps.push({ name, isKey: false });
    } else if (additionalProperties !== undefined) {
      current = typeof additionalProperties === 'object' ? additionalProperties : undefined;
      steps.push({ name, isKey: true });
    } else return undefined;
  }
  return steps;
}

/** Where errors of a rule stand, below the place of the rule. */
export function followRulePath(place: FieldPath | undefined, steps: readonly RulePathStep[]): FieldPath | undefined {
  return steps.reduce<FieldPath | undefined>((path, { name, isKey }) => {
    if (path === undefined) return FieldPath.of(name);
    return isKey ? path.key(name) : path.child(name);
  }, place);
}

function nameAt(tokens: readonly string[], at: number): string | undefined {
  const next = tokens[at + 1];
  if (tokens[at] === '.') return next;
  if (tokens[at] !== '[' || next === undefined || tokens[at + 2] !== ']') return undefined;
  return /^'.*'$/s.test(next) && next.length >= 2 ? unescapeQuoted(next.slice(1, -1)) : undefined;
}

/** The signs alone, quoted texts as a whole, and what stands between them. */
function tokenize(path: string): readonly string[] {
  return path.match(/'(?:[^']|(?<=\\)')*'|[.[\]]|[^.[\]']+|'/g) ?? [];
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
]);

function unescapeQuoted(text: string): string | undefined {
  let isWellFormed = true;
  const plain = text.replace(/\\(.)/gs, (_whole, character: string) => {
    const meant = escapes.get(character);
    isWellFormed &&= meant !== undefined;
    return meant ?? '';
  });
  return isWellFormed ? plain : undefined;
}
