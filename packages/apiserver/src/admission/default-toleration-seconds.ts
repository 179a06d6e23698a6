import type { Pod, Toleration } from '@pintle/kinds/core/v1';
import type { AdmissionPlugin } from './admission.ts';

const SECONDS = 300;
const LOST_NODES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Pods stay for five minutes on a node that is lost, unless they say how long. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  handles: ({ call, operation, object }) =>
    call.info.resource === 'pods' &&
    call.info.group === '' &&
    call.info.subresource === '' &&
    operation !== 'DELETE' &&
    object !== undefined,
  mutate: ({ object }) => {
    const { spec } = object as Pod;
    if (spec === undefined) return;
    const { tolerations = [] } = spec;
    const missing = LOST_NODES.filter((key) => !tolerations.some((toleration) => isFor(toleration, key)));
    if (missing.length > 0) spec.tolerations = [...tolerations, ...missing.map(tolerationOf)];
  },
};

function isFor({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS };
}
