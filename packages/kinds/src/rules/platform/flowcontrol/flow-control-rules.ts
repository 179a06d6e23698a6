import type { KubernetesObject } from '@pintle/machinery';
import { duplicate, FieldPath, required } from '@pintle/machinery/errors';
import { type Check, collect } from '../../common/checks.ts';
import { keepAllButStatusAndMetadata, keepStatus } from '../../common/object-fields.ts';

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
      prepareForUpdate: keepAllButStatusAndMetadata,
      validateUpdate: ({ status }: FlowControlObject) => collect(checkConditionTypes(status?.conditions ?? [])),
    },
  },
} as const;

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
