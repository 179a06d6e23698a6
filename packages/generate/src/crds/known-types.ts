import { asJson, deepCopy, type JsonObject } from '@pintle/machinery/json';
import { conditions, defineResource, EXACT_WORDS } from '@pintle/operator';

/** Types that need not be written out: of the language, and of Pintle's packages. */
export function knownType(name: string, from: string | undefined): JsonObject | undefined {
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
