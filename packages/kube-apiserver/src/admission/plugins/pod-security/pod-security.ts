import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { collectionRange, decodeObject, objectKey, scanRecords } from '@pintle/apiserver/storage';
import type { Namespace, Pod, PodTemplateSpec } from '@pintle/kinds/core/v1';
import { invalidError } from '@pintle/machinery/errors';
import type { Store } from '@pintle/store';
import { forbid } from '../targets.ts';
import type { CheckedPod } from './checks.ts';
import { describeViolations, violationsOf } from './evaluate.ts';
import type { ExistingPod } from './existing-pods.ts';
import { checkExistingPod, existingPodWarnings } from './existing-pods.ts';
import type { Policy, Standard } from './policy.ts';
import { compareLevels, describeStandard, policyOf } from './policy.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };
const PODS = { group: '', resource: 'pods' };
/** Subresources whose writes add nothing to what a pod may do. */
const HARMLESS = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);
const TEMPLATES = new Set([
  'replicationcontrollers',
  'podtemplates',
  'replicasets.apps',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
]);

/**
 * Applies the Pod Security Standards in the labels of a namespace to its pods. Kinds with pod templates only get
 * warnings, which show early what will be refused.
 */
export function podSecurityPlugin({ store }: { readonly store: Store }): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    handles: ({ context: { info }, operation }) => {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
      const name = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
      if (name === 'pods') return !HARMLESS.has(info.subresource);
      return info.subresource === '' && (name === 'namespaces' || TEMPLATES.has(name));
    },
    validate: async (request) => {
      const { resource } = request.context.info;
      if (resource === 'namespaces') await checkNamespace(store, request);
      else if (resource === 'pods') await checkPod(store, request);
      else await checkTemplate(store, request);
    },
  };
}

async function checkNamespace(store: Store, request: AdmissionRequest): Promise<void> {
  const { metadata } = request.object as Namespace;
  const { policy, errors } = policyOf(metadata.labels);
  const former = request.oldObject && policyOf(request.oldObject.metadata.labels);
  if (errors.length > 0 && JSON.stringify(errors) !== JSON.stringify(former?.errors))
    throw invalidError({ group: '', kind: 'Namespace' }, request.name, errors);
  if (former === undefined || !isStricter(policy.enforce, former.policy.enforce)) return;
  const pods: ExistingPod[] = [];
  for await (const record of scanRecords(store, collectionRange(PODS, metadata.name ?? '')))
    pods.push(checkExistingPod(decodeObject(record, 'Pod') as Pod, policy.enforce));
  for (const warning of existingPodWarnings(metadata.name ?? '', pods, policy.enforce))
    request.context.warnings.add(warning);
}

/** True when the level is higher or the version differs, since another version may require anything. */
function isStricter(next: Standard, former: Standard): boolean {
  if (next.level === 'privileged') return false;
  return next.minor !== former.minor || compareLevels(next.level, former.level) > 0;
}

async function checkPod(store: Store, request: AdmissionRequest): Promise<void> {
  const pod = request.object as Pod;
  if (request.operation === 'UPDATE' && !changesImages(pod, request.oldObject as Pod)) return;
  const policy = await policyFor(store, request.namespace);
  if (policy === undefined || !pod.spec) return;
  const checked = { metadata: pod.metadata, spec: pod.spec };
  const violations = violationsOf(checked, policy.enforce);
  if (violations.length > 0)
    throw forbid(
      request,
      `violates PodSecurity "${describeStandard(policy.enforce)}": ${describeViolations(violations)}`,
    );
  warn(request, checked, policy);
}

async function checkTemplate(store: Store, request: AdmissionRequest): Promise<void> {
  const template = templateOf(request);
  if (!template?.spec) return;
  const policy = await policyFor(store, request.namespace);
  if (policy !== undefined) warn(request, { metadata: template.metadata ?? {}, spec: template.spec }, policy);
}

function templateOf({ object, context }: AdmissionRequest): PodTemplateSpec | undefined {
  const { spec, template } = object as unknown as {
    readonly template?: PodTemplateSpec;
    readonly spec?: {
      readonly template?: PodTemplateSpec;
      readonly jobTemplate?: { readonly spec?: { readonly template?: PodTemplateSpec } };
    };
  };
  if (context.info.resource === 'podtemplates') return template;
  return context.info.resource === 'cronjobs' ? spec?.jobTemplate?.spec?.template : spec?.template;
}

function warn({ context }: AdmissionRequest, pod: CheckedPod, policy: Policy): void {
  const violations = violationsOf(pod, policy.warn);
  if (violations.length > 0)
    context.warnings.add(
      `would violate PodSecurity "${describeStandard(policy.warn)}": ${describeViolations(violations)}`,
    );
}

async function policyFor(store: Store, namespace: string): Promise<Policy | undefined> {
  const record = await store.get(objectKey(NAMESPACES, '', namespace));
  return record && policyOf(decodeObject(record, 'Namespace').metadata.labels).policy;
}

/** True when an update changes containers or images. */
function changesImages({ spec: next }: Pod, { spec: former }: Pod): boolean {
  const images = (containers: readonly { readonly image?: string }[] = []): string =>
    JSON.stringify(containers.map(({ image }) => image ?? ''));
  if (images(next?.containers) !== images(former?.containers)) return true;
  if (images(next?.initContainers) !== images(former?.initContainers)) return true;
  const known = new Map(former?.ephemeralContainers?.map(({ name, image }) => [name, image]));
  return (next?.ephemeralContainers ?? []).some(({ name, image }) => !known.has(name) || known.get(name) !== image);
}
