import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { isAllowed } from '@pintle/apiserver/auth';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { TokenRequest } from '@pintle/kinds/authentication/v1';
import type { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import type { Node, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import type { GroupResource, KubernetesObject } from '@pintle/machinery';
import { quote } from '@pintle/machinery/errors';
import { deepEqual, type JsonValue } from '@pintle/machinery/json';
import type { Store } from '@pintle/store';
import { apiVolumeOf, ownerProblem } from '../../auth/node/mirror-pod.ts';
import { nodeNameOf } from '../../auth/node/node-authorizer.ts';
import { MIRROR_ANNOTATION, referencesOf } from '../../auth/node/pod-references.ts';
import { audienceUse } from '../../auth/node/token-audience.ts';
import { forbid } from './targets.ts';

const LEASE_NAMESPACE = 'kube-node-lease';

const RESERVED_LABELS = 'node-restriction.kubernetes.io';
/** Labels of Kubernetes that a node may set on itself. */
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

/** Restricts the writes of a node to itself and its pods, and to values that grant neither of them more rights. */
export function nodeRestriction(store: Store): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: ({ context, operation }) => operation !== 'CONNECT' && nodeNameOf(context.user) !== undefined,
    validate: async (request) => {
      const node = nodeNameOf(request.context.user)!;
      if (node === '') throw forbid(request, `could not determine node from user "${request.context.user.username}"`);
      await check(store, request, node);
    },
  };
}

async function check(store: Store, request: AdmissionRequest, node: string): Promise<void> {
  const { group, resource, subresource } = request.context.info;
  const target = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
  switch (target) {
    case 'nodes':
    case 'nodes/status':
      return checkNode(request, node);
    case 'pods':
      return await checkPod(store, request, node);
    case 'pods/status':
      return checkPodStatus(request, node);
    case 'pods/eviction':
      return await checkEviction(store, request, node);
    case 'serviceaccounts/token':
      return await checkToken(store, request, node);
    case 'persistentvolumeclaims/status':
      return checkClaimStatus(request, node);
    case 'persistentvolumeclaims':
      throw forbid(request, 'may only update PVC status');
    case 'certificatesigningrequests.certificates.k8s.io':
      return await checkCertificateRequest(request, node);
    case 'leases.coordination.k8s.io':
      if (request.context.info.namespace !== LEASE_NAMESPACE)
        throw forbid(request, `can only access leases in the "${LEASE_NAMESPACE}" system namespace`);
      return checkOwnName(request, node);
    case 'csinodes.storage.k8s.io':
      return checkOwnName(request, node);
    case 'resourceslices.resource.k8s.io':
      return checkSlice(request, node);
  }
  if (group !== '' || resource !== 'pods') return;
  throw forbid(request, `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`);
}

function checkOwnName(request: AdmissionRequest, node: string): void {
  if (request.name === node) return;
  const { resource } = request.context.info;
  throw forbid(request, `can only access ${resource} with the same name as the requesting node`);
}

function checkNode(request: AdmissionRequest, node: string): void {
  const { object, oldObject, operation, name } = request;
  if (name !== node) throw forbid(request, `node "${node}" is not allowed to modify node "${name}"`);
  if (operation === 'DELETE') return;
  const [now, before] = [object as Node, oldObject as Node | undefined];
  // An owner decides when a node, with its taints, is deleted (CVE-2025-5187).
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

async function checkPod(store: Store, request: AdmissionRequest, node: string): Promise<void> {
  const { operation, object, oldObject } = request;
  if (operation === 'DELETE') {
    if (nodeOf(oldObject) !== node)
      throw forbid(request, `node "${node}" can only delete pods with spec.nodeName set to itself`);
    return;
  }
  if (operation !== 'CREATE')
    throw forbid(request, `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`);
  const pod = object as Pod;
  if (pod.metadata.annotations?.[MIRROR_ANNOTATION] === undefined) {
    throw forbid(
      request,
      `pod does not have "${MIRROR_ANNOTATION}" annotation, node "${node}" can only create mirror pods`,
    );
  }
  if (nodeOf(pod) !== node)
    throw forbid(request, `node "${node}" can only create pods with spec.nodeName set to itself`);
  const stored = await find<Node>(store, { group: '', resource: 'nodes' }, 'Node', '', node);
  const problem = ownerProblem(pod, node, stored);
  if (problem !== undefined) throw forbid(request, problem);
  const { annotations: _annotations, ...metadata } = pod.metadata;
  const needed = [...referencesOf({ ...pod, metadata })].find((reference) => !reference.startsWith('serviceaccounts/'));
  const referred = needed?.split('/')[0] ?? apiVolumeOf(pod);
  if (referred !== undefined) throw forbid(request, `node "${node}" can not create pods that reference ${referred}`);
}

function checkPodStatus(request: AdmissionRequest, node: string): void {
  const { object, oldObject } = request;
  if (nodeOf(oldObject) !== node) {
    throw forbid(request, `node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  }
  if (!isSame(object?.metadata.labels, oldObject?.metadata.labels)) {
    throw forbid(request, `node "${node}" cannot update labels through pod status`);
  }
  // A node may read the claims that these name.
  const [now, before] = [(object as Pod).status, (oldObject as Pod).status];
  if (!isSame(now?.resourceClaimStatuses, before?.resourceClaimStatuses)) {
    throw forbid(request, `node "${node}" cannot update resource claim statues`);
  }
  if (!isSame(now?.extendedResourceClaimStatus, before?.extendedResourceClaimStatus)) {
    throw forbid(request, `node "${node}" cannot update extended resource claim status`);
  }
}

/** Fields that a kubelet writes when it resizes a volume. */
const CLAIM_STATUS: readonly string[] = ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'];
/** Fields that every write changes, or may leave out. */
const WRITE_METADATA: readonly string[] = ['resourceVersion', 'managedFields'];

function checkClaimStatus(request: AdmissionRequest, node: string): void {
  const { object, oldObject } = request;
  const [now, before] = [object as PersistentVolumeClaim, oldObject as PersistentVolumeClaim];
  const changed = [
    ...changedFields('metadata', now.metadata, before.metadata, WRITE_METADATA),
    ...changedFields('spec', now.spec, before.spec, []),
    ...changedFields('status', now.status, before.status, CLAIM_STATUS),
  ];
  if (changed.length === 0) return;
  const allowed = 'status.quantity and status.conditions';
  throw forbid(request, `node "${node}" is not allowed to update fields other than ${allowed}: ${changed.join(', ')}`);
}

function changedFields(at: string, now: object = {}, before: object = {}, ignored: readonly string[]): string[] {
  const [fields, old] = [
    new Map<string, unknown>(Object.entries(now)),
    new Map<string, unknown>(Object.entries(before)),
  ];
  const names = [...new Set([...fields.keys(), ...old.keys()])].filter((name) => !ignored.includes(name));
  return names.filter((name) => !isSame(fields.get(name), old.get(name))).map((name) => `${at}.${name}`);
}

const NODE_SIGNERS: ReadonlySet<string> = new Set([
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
]);

/** Allows certificate requests only for the node's own name. */
async function checkCertificateRequest(request: AdmissionRequest, node: string): Promise<void> {
  if (request.operation !== 'CREATE') return;
  const { spec } = request.object as CertificateSigningRequest;
  if (!NODE_SIGNERS.has(spec.signerName)) return;
  const { CertificateRequest } = await import('@pintle/pki/requests');
  const name = `system:node:${node}`;
  let commonName: string;
  try {
    ({ commonName } = (await CertificateRequest.read(Buffer.from(spec.request, 'base64').toString())).subject);
  } catch (error) {
    if (error instanceof RangeError) throw forbid(request, `unable to parse csr: ${error.message}`);
    throw error;
  }
  if (commonName !== name) throw forbid(request, `can only create a node CSR with CN=${name}`);
}

async function checkEviction(store: Store, request: AdmissionRequest, node: string): Promise<void> {
  const { namespace, name } = request.context.info;
  const pod = await findPod(store, namespace, name);
  if (pod !== undefined && nodeOf(pod) !== node) {
    throw forbid(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
  }
}

/** Allows tokens only for the node's pods, each bound to its pod. */
async function checkToken(store: Store, request: AdmissionRequest, node: string): Promise<void> {
  const bound = (request.object as TokenRequest).spec?.boundObjectRef;
  const { namespace, name } = request.context.info;
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    throw forbid(request, 'node requested token not bound to a pod');
  if (!bound.uid) throw forbid(request, 'node requested token with a pod binding without a uid');
  const pod = await findPod(store, namespace, bound.name);
  if (pod === undefined || pod.metadata.uid !== bound.uid) {
    throw forbid(request, `the UID in the bound object reference (${bound.uid}) does not match the UID in record`);
  }
  if (nodeOf(pod) !== node) throw forbid(request, `node requested token bound to a pod scheduled on a different node`);
  await checkAudience(store, request, pod);
  if ((pod.spec?.serviceAccountName ?? '') !== name)
    throw forbid(request, 'node requested token for an account that the pod does not run as');
}

/** Requires that the audience is one of the pod's volumes, or that the node has permission to request it. */
async function checkAudience(store: Store, request: AdmissionRequest, pod: Pod): Promise<void> {
  const [audience = '', ...others] = (request.object as TokenRequest).spec?.audiences ?? [];
  if (others.length > 0) throw forbid(request, 'node may only request 0 or 1 audiences');
  const { isUsed, problems } = await audienceUse(pod, audience, async (singular, namespace, name) => {
    const [resource, kind] = VOLUME_OBJECTS[singular];
    return await find(store, resource, kind, namespace, name);
  });
  if (isUsed) return;
  if (problems.length > 0) {
    const what = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
    throw forbid(request, `error validating audience ${quote(audience)}: ${what}`);
  }
  const { authorizer, user, info } = request.context;
  const { namespace, name } = info;
  const verb = 'request-serviceaccounts-token-audience';
  if (await isAllowed(authorizer, user, { verb, group: '', resource: audience, namespace, name })) return;
  const who = `${user.username} is not authorized to request tokens for this audience`;
  throw forbid(request, `audience ${quote(audience)} not found in pod spec volume, ${who}`);
}

const VOLUME_OBJECTS = {
  persistentvolumeclaim: [{ group: '', resource: 'persistentvolumeclaims' }, 'PersistentVolumeClaim'],
  persistentvolume: [{ group: '', resource: 'persistentvolumes' }, 'PersistentVolume'],
  'csidriver.storage.k8s.io': [{ group: 'storage.k8s.io', resource: 'csidrivers' }, 'CSIDriver'],
} as const;

function checkSlice(request: AdmissionRequest, node: string): void {
  const slice = (request.object ?? request.oldObject) as { spec?: { nodeName?: string } } | undefined;
  if (slice?.spec?.nodeName === node) return;
  throw forbid(request, 'can only access ResourceSlice with the same NodeName as the requesting node');
}

async function findPod(store: Store, namespace: string, name: string): Promise<Pod | undefined> {
  if (namespace === '') return undefined;
  return await find<Pod>(store, { group: '', resource: 'pods' }, 'Pod', namespace, name);
}

async function find<T extends KubernetesObject>(
  store: Store,
  resource: GroupResource,
  kind: string,
  namespace: string,
  name: string,
): Promise<T | undefined> {
  if (name === '' || [namespace, name].some((text) => /[/\0]/.test(text))) return undefined;
  const record = await store.get(objectKey(resource, namespace, name));
  return record && (decodeObject(record, kind) as T);
}

function nodeOf(pod: KubernetesObject | undefined): string {
  return (pod as Pod | undefined)?.spec?.nodeName ?? '';
}

function isSame(a: unknown, b: unknown): boolean {
  const value = (item: unknown): JsonValue => (item ?? []) as JsonValue;
  const isEmpty = (item: JsonValue): boolean => typeof item === 'object' && Object.keys(item ?? {}).length === 0;
  return deepEqual(value(a), value(b)) || (isEmpty(value(a)) && isEmpty(value(b)));
}
