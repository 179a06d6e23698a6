import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { Node } from '@pintle/kinds/core/v1';
import { isWriteOf } from './targets.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

/** Taints a new node as not ready, so that nothing is scheduled on it before its condition says so. */
export const taintNodesByConditionPlugin: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: (request) => isWriteOf(request, 'nodes'),
  mutate: ({ object }) => {
    const node = object as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return;
    node.spec = { ...node.spec, taints: [...taints, { ...NOT_READY }] };
  },
};
