import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { FollowedObjects } from '@pintle/apiserver/cache';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import type { Pod } from '@pintle/kinds/core/v1';
import type { PriorityClass } from '@pintle/kinds/scheduling/v1';
import { forbid, isWriteOf } from './targets.ts';

const CLASSES = 'priorityclasses.scheduling.k8s.io';
const DEFAULT_POLICY = 'PreemptLowerPriority';

/** Sets the priority of a pod from its class. */
export function priorityPlugin(classes: FollowedObjects<PriorityClass>): AdmissionPlugin {
  return {
    name: 'Priority',
    handles: (request) =>
      isWriteOf(request, 'pods', ['CREATE', 'UPDATE']) || isWriteOf(request, CLASSES, ['CREATE', 'UPDATE']),
    mutate: async (request) => {
      if (request.context.info.resource !== 'pods') return;
      const pod = request.object as Pod;
      if (request.operation === 'UPDATE') keepPriority(pod, request.oldObject as Pod);
      else setPriority(request, pod, await classes.now());
    },
    validate: async (request) => {
      if (request.context.info.resource === 'pods') return;
      const { metadata, globalDefault } = request.object as PriorityClass;
      if (!globalDefault) return;
      const other = defaultClass([...(await classes.now()).values()]);
      if (other !== undefined && other.metadata.name !== metadata.name)
        throw forbid(
          request,
          `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
        );
    },
  };
}

function keepPriority({ spec }: Pod, { spec: former }: Pod): void {
  if (!spec || !former) return;
  if (spec.priority === undefined && former.priority !== undefined) spec.priority = former.priority;
  if (spec.preemptionPolicy === undefined && former.preemptionPolicy !== undefined)
    spec.preemptionPolicy = former.preemptionPolicy;
}

function setPriority(request: AdmissionRequest, { spec }: Pod, classes: ReadonlyMap<string, PriorityClass>): void {
  if (!spec) return;
  const name = spec.priorityClassName ?? '';
  const found = name === '' ? defaultClass([...classes.values()]) : classes.get(name);
  if (name !== '' && found === undefined) throw forbid(request, `no PriorityClass with name ${name} was found`);
  if (found !== undefined) spec.priorityClassName = found.metadata.name!;
  const priority = found?.value ?? 0;
  const policy = found?.preemptionPolicy ?? DEFAULT_POLICY;
  const computed = 'must not be provided in pod spec; priority admission controller computed';
  if (spec.priority !== undefined && spec.priority !== priority)
    throw forbid(
      request,
      `the integer value of priority (${spec.priority}) ${computed} ${priority} from the given PriorityClass name`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw forbid(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed} ${policy} from the given PriorityClass name`,
    );
  spec.priority = priority;
  spec.preemptionPolicy = policy;
}

/** Returns the default class; of several, which is a misconfiguration, the one with the lowest value. */
function defaultClass(classes: readonly PriorityClass[]): PriorityClass | undefined {
  const defaults = classes.filter(({ globalDefault }) => globalDefault);
  return defaults.sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}
