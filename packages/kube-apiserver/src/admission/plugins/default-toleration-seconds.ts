import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { Pod, Toleration } from '@pintle/kinds/core/v1';
import { isWriteOf } from './targets.ts';

const SECONDS = 300;

/** Adds tolerations of five minutes for nodes that are not ready or unreachable, unless the pod has its own. */
export const defaultTolerationSecondsPlugin: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  handles: (request) => isWriteOf(request, 'pods', ['CREATE', 'UPDATE']),
  mutate: ({ object }) => {
    const { spec } = object as Pod;
    if (!spec) return;
    const tolerations = spec.tolerations ?? [];
    const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
      (key) => !tolerations.some((toleration) => tolerates(toleration, key)),
    );
    if (missing.length === 0) return;
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }));
    spec.tolerations = [...tolerations, ...(added as Toleration[])];
  },
};

function tolerates({ key = '', effect }: Toleration, taint: string): boolean {
  return (key === taint || key === '') && (effect === 'NoExecute' || !effect);
}
