import { SeededRandom } from '@pintle/async';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isInvalid } from '@pintle/machinery/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { Inputs, Scenario } from '../model/options.ts';
import { type Schema, smallestOf, variationsOf } from './values.ts';

export interface FromSchemaOptions {
  /** CustomResourceDefinition, for resources without one. */
  readonly definition?: KubernetesObject;
  /** Fields of the first state, besides those that the schema requires. */
  readonly spec?: object;
  /** Fields that no state changes, such as `schedule` or `limits.cpu`. */
  readonly fixed?: readonly string[];
  /** Number of states. Default: 8. */
  readonly states?: number;
}

const STATES = 8;
const PLACE = { namespace: 'default', name: 'first' };

/**
 * Creates a scenario from the schema of a resource: bounds, enum values, features on and off, optional fields that come and
 * go, lists that grow and shrink. Each state differs from the first in one field, so that each step undoes the last. Then the
 * object is deleted and created again. The seed chooses the states; those that the server refuses are left out.
 *
 *     const report = await explore({ crds: [Fruit], operator: addFruitController, inputs: fromSchema(Fruit) });
 */
export function fromSchema(type: ResourceType, options: FromSchemaOptions = {}): Inputs {
  const definition = options.definition ?? (type as { readonly definition?: KubernetesObject }).definition;
  if (definition === undefined)
    throw new TypeError(`Cannot make inputs of ${type.kind}: it has no schema. Give fromSchema its definition.`);
  const schema = specSchemaOf(definition, type.version);
  const first = { ...(smallestOf(schema) as JsonObject), ...options.spec } as JsonObject;
  return {
    scenario: (seed) => walk(type, first, chosen(schema, first, options, seed)),
  };
}

interface State {
  readonly name: string;
  readonly spec: JsonValue;
}

/** Takes fields in turns, so that few states cover many fields. */
function chosen(schema: Schema, first: JsonObject, options: FromSchemaOptions, seed: number | string): State[] {
  const { fixed = [], states: count = STATES } = options;
  const random = new SeededRandom(`${seed}/inputs`);
  const byField = new Map<string, State[]>();
  for (const { name, value } of variationsOf(schema, first)) {
    const field = name.split(':')[0]!;
    if (fixed.some((each) => field === each || field.startsWith(`${each}.`))) continue;
    byField.set(field, [...(byField.get(field) ?? []), { name, spec: value }]);
  }
  const fields = shuffled([...byField.values()], random);
  const states: State[] = [];
  for (let round = 0; states.length < count && fields.some((each) => each.length > round); round++)
    for (const each of fields) if (each[round] !== undefined && states.length < count) states.push(each[round]!);
  return states;
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
