import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import type { Pod } from '@pintle/kinds/core/v1';
import { forbid, isWriteOf } from './targets.ts';

/**
 * Sets `imagePullPolicy: Always`, so that only users who may pull an image can run it, even if a node has it already.
 * Leaves updates alone that add no image, for pods older than this plugin.
 */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  handles: (request) => isWriteOf(request, 'pods', ['CREATE', 'UPDATE']),
  mutate: (request) => {
    if (!bringsImage(request)) return;
    const pod = request.object as Pod;
    for (const container of containersOf(pod)) container.imagePullPolicy = 'Always';
    for (const { image } of pod.spec?.volumes ?? []) if (image) image.pullPolicy = 'Always';
  },
  validate: (request) => {
    if (!bringsImage(request)) return;
    const pod = request.object as Pod;
    const isEveryPulled =
      containersOf(pod).every(({ imagePullPolicy }) => imagePullPolicy === 'Always') &&
      (pod.spec?.volumes ?? []).every(({ image }) => !image || image.pullPolicy === 'Always');
    if (!isEveryPulled) throw forbid(request, 'imagePullPolicy: Unsupported value: supported values: "Always"');
  },
};

function containersOf({ spec }: Pod) {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...initContainers, ...containers, ...ephemeralContainers];
}

function bringsImage({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE') return true;
  const known = new Set(containersOf(oldObject as Pod).map(({ image }) => image));
  return containersOf(object as Pod).some(({ image }) => !known.has(image));
}
