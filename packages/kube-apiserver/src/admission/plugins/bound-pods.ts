import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Binding, Node, Pod } from '@pintle/kinds/core/v1';
import { podAmounts, readAmounts } from '@pintle/kinds/usage';
import { StatusError } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { Quantity } from '@pintle/machinery/quantity';
import type { Store } from '@pintle/store';
import { forbid, isWriteOf } from './targets.ts';

const NODES = { group: '', resource: 'nodes' };
const PLACES = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];
const OPERATING_SYSTEM = 'kubernetes.io/os';
const NONE = new Quantity(0n);

/** Copies the topology labels of the node to a pod that is created with a node or bound to one. */
export function podTopologyLabelsPlugin(store: Store): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    handles: (request) => isWriteOf(request, 'pods') || isWriteOf(request, 'pods', ['CREATE'], 'binding'),
    mutate: async ({ object }) => {
      const node = await findNode(store, nodeNameOf(object as Pod | Binding));
      const labels = Object.entries(node?.metadata.labels ?? {}).filter(([key]) => PLACES.includes(key));
      if (labels.length > 0) object!.metadata.labels = { ...object!.metadata.labels, ...Object.fromEntries(labels) };
    },
  };
}

function nodeNameOf(object: Pod | Binding): string {
  if ('target' in object) return object.target?.kind === 'Node' ? (object.target.name ?? '') : '';
  return (object as Pod).spec?.nodeName ?? '';
}

/** Refuses changes of a running pod that its node does not declare as a feature. */
export function nodeDeclaredFeaturesPlugin(store: Store): AdmissionPlugin {
  return {
    name: 'NodeDeclaredFeatureValidator',
    handles: (request) => isWriteOf(request, 'pods', ['UPDATE']) || isWriteOf(request, 'pods', ['UPDATE'], 'resize'),
    validate: async (request) => {
      if (!isBoundChange(request)) return;
      const needed = featuresFor(request.oldObject as Pod, request.object as Pod);
      if (needed.length === 0) return;
      const node = await nodeOf(store, request);
      const missing = needed.filter((feature) => !node.status?.declaredFeatures?.includes(feature));
      if (missing.length === 0) return;
      const why = `pod update requires features ${missing.join(', ')} which are not available on node`;
      throw forbid(request, `${why} "${node.metadata.name}"`);
    },
  };
}

function featuresFor({ spec: before }: Pod, { spec: after }: Pod): string[] {
  const isPodResized = !deepEqual(before?.resources ?? null, after?.resources ?? null);
  const isStartResized = before?.initContainers?.some(
    ({ restartPolicy, resources }, index) =>
      restartPolicy !== 'Always' && !deepEqual(resources ?? {}, after?.initContainers?.[index]?.resources ?? {}),
  );
  return [
    ...(isPodResized ? ['InPlacePodLevelResourcesVerticalScaling'] : []),
    ...(isStartResized ? ['InPlacePodVerticalScalingInitContainers'] : []),
  ];
}

/** Refuses to resize a running pod beyond the capacity of its node. */
export function podResizePlugin(store: Store): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    handles: (request) => isWriteOf(request, 'pods', ['UPDATE'], 'resize'),
    validate: async (request) => {
      if (!isBoundChange(request)) return;
      const node = await nodeOf(store, request);
      const system = node.metadata.labels?.[OPERATING_SYSTEM] ?? 'linux';
      if (system !== 'linux') {
        const why = `pod resize is only supported on linux nodes, node "${node.metadata.name}" is "${system}"`;
        throw withCause(forbid(request, why), 'UnsupportedPlatform');
      }
      const excess = excessOf(request.object as Pod, node);
      if (excess === '') return;
      const why = `node didn't have enough allocatable resources: ${excess}`;
      throw withCause(forbid(request, why), 'NodeCapacity');
    },
  };
}

function excessOf(pod: Pod, { status }: Node): string {
  const wanted = podAmounts(pod, 'requests');
  const there = readAmounts(status?.allocatable);
  return [excess('cpu', 1000n), excess('memory', 1n)].filter((text) => text !== '').join('; ');

  function excess(name: string, unitsPerOne: bigint): string {
    const asked = wanted.get(name) ?? NONE;
    const limit = there.get(name) ?? NONE;
    if (asked.compare(limit) <= 0) return '';
    const units = (amount: Quantity) => Math.ceil(amount.multiply(unitsPerOne).toNumber());
    return `${name}, requested: ${units(asked)}, allocatable: ${units(limit)}`;
  }
}

/** True when the spec of a bound pod has changed. */
function isBoundChange({ object, oldObject }: AdmissionRequest): boolean {
  return !!(object as Pod).spec?.nodeName && object!.metadata.generation !== oldObject!.metadata.generation;
}

async function nodeOf(store: Store, request: AdmissionRequest): Promise<Node> {
  const name = (request.object as Pod).spec?.nodeName ?? '';
  const node = await findNode(store, name);
  if (node === undefined) throw forbid(request, `node "${name}" not found`);
  return node;
}

async function findNode(store: Store, name: string): Promise<Node | undefined> {
  if (!/^[a-z0-9.-]{1,253}$/.test(name)) return undefined;
  const record = await store.get(objectKey(NODES, '', name));
  return record && (decodeObject(record, 'Node') as Node);
}

function withCause(error: Error, reason: string): Error {
  if (!(error instanceof StatusError)) return error;
  const { status } = error;
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
