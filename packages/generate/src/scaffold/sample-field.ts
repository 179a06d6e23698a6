import { GenerateError } from '../errors.ts';
import type { Node } from '../sources/syntax-tree.ts';
import { resourceOptions, storedSpec } from './resource-versions.ts';

/** Fields in the schema of `spec` that a sample webhook can use. */
export interface SampleFields {
  /** Name of a field that accepts any short text. Absent when there is no such field, or others are required too. */
  readonly text?: string;
  /** True when an empty `spec` is valid. */
  readonly isEmptyValid: boolean;
}

/** No field that a sample can use. */
const NONE: SampleFields = { isEmptyValid: false };
const OPTIONAL: ReadonlySet<string> = new Set(['optional', 'default', 'prefault']);
/** Calls after `z.string()` that still accept a short text; `min` only with a small number. */
const HARMLESS: ReadonlySet<string> = new Set([...OPTIONAL, 'min', 'describe', 'meta']);
const SAMPLE_LENGTH = 3;

/** Reads the fields from the code of a module. Only a schema of the form `z.object({ … })` has fields. */
export function sampleFields(path: string, text: string, kind: string): SampleFields {
  const spec = specOf(path, text, kind);
  const object = spec === undefined ? undefined : chainOf(spec);
  const shape = object?.start === 'object' && object.calls.length === 1 ? object.calls[0]!.arguments[0] : undefined;
  if (shape?.type !== 'ObjectExpression') return NONE;
  const fields = (shape.properties as Node[]).map(fieldOf);
  const needed = fields.filter(({ isOptional }) => !isOptional);
  const found = fields.find((each) => each.name !== undefined && each.isText && needed.every((one) => one === each));
  return { ...(found?.name !== undefined && { text: found.name }), isEmptyValid: needed.length === 0 };
}

function specOf(path: string, text: string, kind: string): Node | undefined {
  try {
    return storedSpec(path, resourceOptions(path, text, kind));
  } catch (error) {
    if (error instanceof GenerateError) return undefined;
    throw error;
  }
}

interface Field {
  readonly name?: string;
  readonly isText: boolean;
  readonly isOptional: boolean;
}

function fieldOf(property: Node): Field {
  const { key, value } = property as { key?: Node; value?: Node };
  const chain = value === undefined ? undefined : chainOf(value);
  if (chain === undefined) return { isText: false, isOptional: false };
  const [first, ...more] = chain.calls;
  const isText =
    chain.start === 'string' &&
    first?.arguments.length === 0 &&
    more.every(({ name, arguments: [bound] }) => HARMLESS.has(name) && (name !== 'min' || isSmall(bound)));
  return {
    ...(key?.type === 'Identifier' && property.computed !== true && { name: key.name as string }),
    isText,
    isOptional: more.some(({ name }) => OPTIONAL.has(name)),
  };
}

function isSmall(bound: Node | undefined): boolean {
  return typeof bound?.value === 'number' && bound.value <= SAMPLE_LENGTH;
}

interface Chain {
  readonly start: string;
  readonly calls: readonly { readonly name: string; readonly arguments: readonly Node[] }[];
}

/** Returns the calls of `z.string().min(1)`, in order. */
function chainOf(expression: Node): Chain | undefined {
  const calls: { name: string; arguments: readonly Node[] }[] = [];
  let node = expression;
  while (node.type === 'CallExpression') {
    const { object, property } = node.callee as { object?: Node; property?: { name?: string } };
    if (object === undefined || property?.name === undefined) return undefined;
    calls.unshift({ name: property.name, arguments: node.arguments as Node[] });
    node = object;
  }
  const [first] = calls;
  return node.type === 'Identifier' && node.name === 'z' && first ? { start: first.name, calls } : undefined;
}
