import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { FollowedObjects } from '@pintle/apiserver/cache';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import type { Pod, Toleration } from '@pintle/kinds/core/v1';
import type { RuntimeClass } from '@pintle/kinds/node/v1';
import { unclassifiedError } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { pathSegmentName } from '@pintle/machinery/names';
import { parseQuantity } from '@pintle/machinery/quantity';
import { forbid, isWriteOf } from './targets.ts';

/** Sets the overhead and the scheduling constraints of a pod from its runtime class. */
export function runtimeClassPlugin(classes: FollowedObjects<RuntimeClass>): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    handles: (request) => isWriteOf(request, 'pods'),
    mutate: async (request) => {
      const { spec } = request.object as Pod;
      if (!spec) return;
      const runtime = await classOf(request, spec.runtimeClassName ?? undefined, classes);
      if (runtime === undefined) return;
      setOverhead(request, spec, runtime);
      addScheduling(request, spec, runtime);
    },
    validate: async (request) => {
      const { spec } = request.object as Pod;
      const runtime = await classOf(request, spec?.runtimeClassName ?? undefined, classes);
      if (spec?.overhead !== undefined && runtime?.overhead === undefined)
        throw forbid(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    },
  };
}

async function classOf(
  request: AdmissionRequest,
  name: string | undefined,
  classes: FollowedObjects<RuntimeClass>,
): Promise<RuntimeClass | undefined> {
  if (name === undefined) return undefined;
  const found = (await classes.now()).get(name);
  if (found === undefined) refuseInvalidName(name);
  if (found === undefined) throw forbid(request, `pod rejected: RuntimeClass "${name}" not found`);
  return found;
}

/** Throws for names that cannot be in a path: Kubernetes requests the class by name, and fails so. */
function refuseInvalidName(name: string): void {
  if (name === '') throw unclassifiedError(500, 'resource name may not be empty');
  const problems = pathSegmentName(name, false);
  if (problems.length > 0) throw unclassifiedError(500, `invalid resource name "${name}": [${problems.join(' ')}]`);
}

type PodSpec = NonNullable<Pod['spec']>;
type Overhead = NonNullable<PodSpec['overhead']>;

function setOverhead(request: AdmissionRequest, spec: PodSpec, { overhead }: RuntimeClass): void {
  const fixed = overhead?.podFixed;
  if (fixed === undefined) return;
  if (spec.overhead && Object.keys(spec.overhead).length > 0 && !isSame(spec.overhead, fixed))
    throw forbid(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  spec.overhead = { ...fixed };
}

function isSame(a: Overhead, b: Overhead): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) => b[name] !== undefined && parseQuantity(String(a[name])).compare(parseQuantity(String(b[name]))) === 0,
    )
  );
}

function addScheduling(request: AdmissionRequest, spec: PodSpec, { scheduling }: RuntimeClass): void {
  const { nodeSelector = {}, tolerations = [] } = scheduling ?? {};
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value)
      throw forbid(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
  }
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  const own = spec.tolerations ?? [];
  const added = (tolerations as Toleration[]).filter(
    (toleration) => !own.some((other) => deepEqual(other, toleration)),
  );
  if (added.length > 0) spec.tolerations = [...own, ...added];
}
