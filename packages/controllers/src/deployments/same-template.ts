import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';

export const TEMPLATE_HASH = 'pod-template-hash';

export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash({ metadata, ...rest }: PodTemplateSpec): object {
  const { [TEMPLATE_HASH]: _, ...labels } = metadata?.labels ?? {};
  return { ...rest, metadata: { ...metadata, labels } };
}
