import type { KubernetesObject } from '@pintle/machinery';
import { duplicate, FieldPath, required } from '@pintle/machinery/errors';
import { type Check, collect } from '../../common/checks.ts';
import { keep, keepAllButStatusAndMetadata, keepStatus } from '../../common/object-fields.ts';

type FlowControlObject = KubernetesObject & { status?: { readonly conditions?: readonly { type?: string }[] } };

/** Rules that both kinds of flow control share: the server sets their status, and only its conditions are validated. */
export const flowControlRules = {
  metadataChecks: ['create'],
  tracksGeneration: true,
  prepareForCreate: (object: FlowControlObject) => {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  subresources: {
    status: {
      metadataChecks: [],
      prepareForUpdate: keepMetadataToo,
      validateUpdate: ({ status }: FlowControlObject) => collect(checkConditionTypes(status?.conditions ?? [])),
    },
  },
} as const;

/** Keeps the whole of the metadata: these kinds leave none of it to an update of the status. */
function keepMetadataToo(next: FlowControlObject, previous: FlowControlObject): void {
  keepAllButStatusAndMetadata(next, previous);
  keep(next.metadata, previous.metadata, 'generateName');
}

/** Conditions need a type, and no type may be repeated. */
export function* checkConditionTypes(conditions: readonly { type?: string }[]): Check {
  const seen = new Set<string>();
  for (const [index, { type = '' }] of conditions.entries()) {
    const at = FieldPath.of('status', 'conditions').index(index).child('type');
    if (seen.has(type)) yield duplicate(at, type);
    seen.add(type);
    if (type === '') yield required(at);
  }
}
