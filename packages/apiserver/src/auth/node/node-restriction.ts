import type { TokenRequest } from '@pintle/kinds/authentication/v1';
import type { Node, Pod } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { deepEqual, type JsonValue } from '@pintle/machinery/json';
import type { Store } from '@pintle/store';
import type { AdmissionPlugin, AdmissionRequest } from '../../admission/admission.ts';
import { forbid } from '../../admission/plugins/targets.ts';
import { objectKey } from '../../storage/keys.ts';
import { decodeObject } from '../../storage/object-codec.ts';
import { nodeNameOf } from './node-identity.ts';
import { MIRROR_ANNOTATION, referencesOf } from './pod-references.ts';

const RESERVED_LABELS = 'node-restriction.kubernetes.io';
/** Labels of Kubernetes' own that a node may give itself. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'node.kubernetes.io/windows-build',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const OWN_LABEL_HOMES = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** What a node writes is about itself and its pods, and gives neither of them rights they do not have. */
export function nodeRestriction(store: Store): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: ({ call, operation }) => operation !== 'CONNECT' && nodeNameOf(call.user) !== undefined,
    validate: async (request) => {
      const node = nodeNameOf(request.call.user)!;
      if (node === '') throw forbid(request, `could not determine node from user "${request.call.user.username}"`);
      await check(store, request, node);
    },
  };
}

async function check(store: Store, request: AdmissionRequest, node: string): Promise<void> {
  const { group, resource, subresource } = request.call.info;
  const target = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
  switch (target) {
    case 'nodes':
    case 'nodes/status':
      return checkNode(request, node);
    case 'pods':
      return checkPod(request, node);
    case 'pods/status':
      return checkPodStatus(request, node);
    case 'pods/eviction':
      return await checkEviction(store, request, node);
    case 'serviceaccounts/token':
      return await checkToken(store, request, node);
    case 'persistentvolumeclaims/status':
      return;
    case 'leases.coordination.k8s.io':
    case 'csinodes.storage.k8s.io':
      if (request.name !== node)
        throw forbid(request, `can only access ${resource} with the same name as the requesting node`);
      return;
    case 'resourceslices.resource.k8s.io':
      return checkSlice(request, node);
  }
}

function checkNode(request: AdmissionRequest, node: string): void {
  const { object, oldObject, operation, name } = request;
  if (name !== node) throw forbid(request, `node "${node}" is not allowed to modify node "${name}"`);
  if (operation === 'DELETE') return;
  const [now, before] = [object as Node, oldObject as Node | undefined];
  // Whoever owns a node decides when it goes, and its taints with it (CVE-2025-5187).
  if (!isSame(now.metadata.ownerReferences, before?.metadata.ownerReferences)) {
    throw forbid(request, `node "${node}" is not allowed to modify ownerReferences`);
  }
  if (operation === 'UPDATE' && !isSame(now.spec?.taints, before?.spec?.taints)) {
    throw forbid(request, `node "${node}" is not allowed to modify taints`);
  }
  if (now.spec?.configSource !== undefined && !isSame(now.spec.configSource, before?.spec?.configSource)) {
    throw forbid(request, `node "${node}" is not allowed to update configSource to a new non-nil configSource`);
  }
  const labels = changedLabels(now, before).filter((key) => !mayLabelItself(key));
  if (labels.length === 0) return;
  throw forbid(request, `is not allowed to modify labels: ${labels.sort().join(', ')}`);
}

function changedLabels(now: KubernetesObject, before: KubernetesObject | undefined): string[] {
  const [labels, old] = [now.metadata.labels ?? {}, before?.metadata.labels ?? {}];
  return [...new Set([...Object.keys(labels), ...Object.keys(old)])].filter((key) => labels[key] !== old[key]);
}

function mayLabelItself(key: string): boolean {
  const home = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const isIn = (domain: string): boolean => home === domain || home.endsWith(`.${domain}`);
  if (isIn(RESERVED_LABELS)) return false;
  if (!isIn('kubernetes.io') && !isIn('k8s.io')) return true;
  return OWN_LABELS.has(key) || OWN_LABEL_HOMES.some(isIn);
}

function checkPod(request: AdmissionRequest, node: string): void {
  const { operation, object, oldObject } = request;
  if (operation === 'DELETE') {
    if (nodeOf(oldObject) !== node)
      throw forbid(request, `node "${node}" can only delete pods with spec.nodeName set to itself`);
    return;
  }
  if (operation !== 'CREATE') throw forbid(request, `unexpected operation "${operation}"`);
  const pod = object as Pod;
  if (pod.metadata.annotations?.[MIRROR_ANNOTATION] === undefined) {
    throw forbid(
      request,
      `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${node}" can only create mirror pods`,
    );
  }
  if (nodeOf(pod) !== node)
    throw forbid(request, `node "${node}" can only create pods with spec.nodeName set to itself`);
  const { annotations: _annotations, ...metadata } = pod.metadata;
  const needed = [...referencesOf({ ...pod, metadata })].filter(
    (reference) => !reference.startsWith('serviceaccounts/'),
  );
  if (needed.length > 0)
    throw forbid(request, `node "${node}" can not create pods that reference ${needed[0]!.split('/')[0]}`);
  const owners = pod.metadata.ownerReferences ?? [];
  const isOwn = owners.every(({ kind, name, controller }) => kind === 'Node' && name === node && controller === true);
  if (owners.length > 1 || !isOwn) throw forbid(request, `pod can only be owned by the node "${node}"`);
}

function checkPodStatus(request: AdmissionRequest, node: string): void {
  const { object, oldObject } = request;
  if (nodeOf(oldObject) !== node) {
    throw forbid(request, `node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  }
  if (!isSame(object?.metadata.labels, oldObject?.metadata.labels)) {
    throw forbid(request, `node "${node}" cannot update labels through pod status`);
  }
}

async function checkEviction(store: Store, request: AdmissionRequest, node: string): Promise<void> {
  const { namespace, name } = request.call.info;
  const pod = await findPod(store, namespace, name);
  if (pod !== undefined && nodeOf(pod) !== node) {
    throw forbid(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
  }
}

/** A node gets tokens for its pods, each for that pod alone. */
async function checkToken(store: Store, request: AdmissionRequest, node: string): Promise<void> {
  const bound = (request.object as TokenRequest).spec?.boundObjectRef;
  const { namespace, name } = request.call.info;
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw forbid(request, 'node requested token not bound to a pod');
  if (!bound.uid) throw forbid(request, 'node requested token with a pod binding without a uid');
  const pod = await findPod(store, namespace, bound.name);
  if (pod === undefined || pod.metadata.uid !== bound.uid) {
    throw forbid(request, `the UID in the bound object reference (${bound.uid}) does not match the UID in record`);
  }
  if (nodeOf(pod) !== node) throw forbid(request, `node requested token bound to a pod scheduled on a different node`);
  if ((pod.spec?.serviceAccountName ?? '') !== name)
    throw forbid(request, 'node requested token for an account that the pod does not run as');
}

function checkSlice(request: AdmissionRequest, node: string): void {
  const slice = (request.object ?? request.oldObject) as { spec?: { nodeName?: string } } | undefined;
  if (slice?.spec?.nodeName === node) return;
  throw forbid(request, 'can only access ResourceSlice with the same NodeName as the requesting node');
}

async function findPod(store: Store, namespace: string, name: string): Promise<Pod | undefined> {
  if ([namespace, name].some((text) => text === '' || /[/\0]/.test(text))) return undefined;
  const record = await store.get(objectKey({ group: '', resource: 'pods' }, namespace, name));
  return record && (decodeObject(record, 'Pod') as Pod);
}

function nodeOf(pod: KubernetesObject | undefined): string {
  return (pod as Pod | undefined)?.spec?.nodeName ?? '';
}

function isSame(a: unknown, b: unknown): boolean {
  const value = (item: unknown): JsonValue => (item ?? []) as JsonValue;
  const isEmpty = (item: JsonValue): boolean => typeof item === 'object' && Object.keys(item ?? {}).length === 0;
  return deepEqual(value(a), value(b)) || (isEmpty(value(a)) && isEmpty(value(b)));
}
