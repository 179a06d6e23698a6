import { SeededRandom } from '@pintle/async';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isInvalid } from '@pintle/machinery/errors';
import { deepEqual, getOwn, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { Inputs, Scenario } from '../model/options.ts';
import { fieldsOf, hasField, pathsOf } from './field-paths.ts';
import { type Schema, smallestOf, variationsOf } from './values.ts';

export interface FromSchemaOptions<R extends ResourceType = ResourceType> {
  /** CustomResourceDefinition, for resources without one. */
  readonly definition?: KubernetesObject;
  /** Fields of the first state, besides those that the schema requires. */
  readonly spec?: SpecOf<R>;
  /** Fields that no state changes, adds or removes, such as `schedule` or `limits.cpu`. */
  readonly fixed?: readonly FieldPath<SpecOf<R>>[];
  /** Number of states. Default: 8. */
  readonly states?: number;
}

/** Spec as it is written, without its required fields; `object` where the type of the resource does not tell it. */
type SpecOf<R extends ResourceType> = (R extends { readonly Input: infer Input } ? Input : R['Type']) extends {
  readonly spec?: infer Spec;
}
  ? unknown extends Spec
    ? object
    : Partial<NonNullable<Spec>>
  : object;

/** Paths of the fields of an object: `check` and `check.every`. Those of the items of a list are none. */
type FieldPath<T, Depth extends readonly 1[] = []> = unknown extends T
  ? string
  : T extends readonly unknown[]
    ? never
    : T extends object
      ? object extends Required<T>
        ? string
        : Depth['length'] extends 5
          ? string
          : {
              [Name in keyof T & string]-?: Name | `${Name}.${FieldPath<NonNullable<T[Name]>, [...Depth, 1]>}`;
            }[keyof T & string]
      : never;

const STATES = 8;
const PLACE = { namespace: 'default', name: 'first' };

/**
 * Creates a scenario from the schema of a resource: bounds, enum values, features on and off, optional fields that come and
 * go, lists that grow and shrink. Each state differs from the first in one field, so that each step undoes the last. Then the
 * object is deleted and created again. The seed chooses the states; those that the server refuses are left out.
 * Throws a TypeError for fields in `spec` and `fixed` that the schema does not have.
 *
 *     const report = await explore({ crds: [Fruit], operator: addFruitController, inputs: fromSchema(Fruit) });
 */
export function fromSchema<R extends ResourceType>(
  type: R,
  { spec, fixed = [], states = STATES, ...options }: FromSchemaOptions<R> = {},
): Inputs {
  const definition = options.definition ?? (type as { readonly definition?: KubernetesObject }).definition;
  if (definition === undefined)
    throw new TypeError(`Cannot make inputs of ${type.kind}: it has no schema. Give fromSchema its definition.`);
  const schema = specSchemaOf(definition, type.version);
  const given = (spec ?? {}) as JsonObject;
  const unknown = [...pathsOf(given), ...fixed].find((path) => !hasField(schema, path));
  if (unknown !== undefined)
    throw new TypeError(
      `Cannot make inputs of ${type.kind}: spec.${unknown} of ${type.apiVersion} is not a field. ${fieldsOf(schema)}`,
    );
  const first = { ...(smallestOf(schema) as JsonObject), ...given };
  return {
    scenario: (seed) => walk(type, first, chosen(schema, first, { fixed, states }, seed)),
  };
}

interface State {
  readonly name: string;
  readonly spec: JsonValue;
}

/** Takes fields in turns, so that few states cover many fields. */
function chosen(
  schema: Schema,
  first: JsonObject,
  { fixed, states: count }: { readonly fixed: readonly string[]; readonly states: number },
  seed: number | string,
): State[] {
  const random = new SeededRandom(`${seed}/inputs`);
  const byField = new Map<string, State[]>();
  for (const { name, value } of variationsOf(schema, first)) {
    if (!fixed.every((path) => isSameAt(path.split('.'), first, value))) continue;
    const field = name.split(':')[0]!;
    byField.set(field, [...(byField.get(field) ?? []), { name, spec: value }]);
  }
  const fields = shuffled([...byField.values()], random);
  const states: State[] = [];
  for (let round = 0; states.length < count && fields.some((each) => each.length > round); round++)
    for (const each of fields) if (each[round] !== undefined && states.length < count) states.push(each[round]!);
  return states;
}

/** True when neither the field nor an object around it differs, comes or goes. */
function isSameAt(path: readonly string[], one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return deepEqual(one, other);
  if (!isJsonObject(one) || !isJsonObject(other)) return deepEqual(one, other);
  return isSameAt(rest, getOwn(one, name), getOwn(other, name));
}

function walk(type: ResourceType, first: JsonObject, states: readonly State[]): Scenario {
  const ref = type.scope === 'Cluster' ? { name: PLACE.name } : PLACE;
  return async ({ client, settle, step }) => {
    const create = async (): Promise<void> => {
      await client.create(type, { metadata: ref, spec: first } as unknown as KubernetesObject);
    };
    const change = async (spec: JsonValue): Promise<void> => {
      const operations = [{ op: 'replace', path: '/spec', value: spec }] as const;
      await client.patch(type, ref, { type: 'json', operations }).catch((error: unknown) => {
        if (!isInvalid(error)) throw error;
      });
    };
    await create();
    await settle();
    for (const { name, spec } of states) {
      await step(name, async () => {
        await change(spec);
        await settle();
      });
    }
    await step('back to the first state', async () => {
      await change(first);
      await settle();
    });
    await step('delete and create again', async () => {
      await client.delete(type, ref);
      await settle();
      await create();
      await settle();
    });
  };
}

function shuffled<T>(values: readonly T[], random: SeededRandom): T[] {
  const result = [...values];
  for (let at = result.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [result[at], result[other]] = [result[other]!, result[at]!];
  }
  return result;
}

function specSchemaOf(definition: KubernetesObject, version: string): Schema {
  const { versions = [] } =
    (definition as { readonly spec?: { readonly versions?: readonly JsonObject[] } }).spec ?? {};
  const own = versions.find(({ name }) => name === version) ?? versions[0];
  const root = isJsonObject(own?.schema) && isJsonObject(own.schema.openAPIV3Schema) ? own.schema.openAPIV3Schema : {};
  const properties = isJsonObject(root.properties) ? root.properties : {};
  return isJsonObject(properties.spec) ? properties.spec : {};
}
