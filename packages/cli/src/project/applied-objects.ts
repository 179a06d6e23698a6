import type { Client, RestMapper } from '@pintle/client';
import type { Manifest, Project } from '@pintle/generate';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Service, ServiceAccount } from '@pintle/kinds/core/v1';
import { NetworkPolicy } from '@pintle/kinds/networking/v1';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@pintle/kinds/rbac/v1';
import type { KubernetesObject, ResourceType, Stored } from '@pintle/machinery';
import { isConversionPlaceholder, removeConversionWebhook } from '@pintle/operator';
import { untilEstablished } from '../until-established.ts';
import type { Report } from './report.ts';
import { isStopped } from './stopped-webhooks.ts';

export const FIELD_MANAGER = 'pintle-deploy';

interface Applied {
  readonly type: ResourceType;
  readonly uid: string;
}

/** Applies objects in order. Skips kinds that the cluster does not have, and namespaces that existed before. */
export async function applyAll(
  client: Client,
  mapper: RestMapper,
  manifests: readonly Manifest[],
  report: Report,
): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const { object } of manifests) {
    const type = await typeOf(mapper, object);
    if (type === undefined) {
      report.add('skip', object, 'skipped: the cluster does not have this kind');
      continue;
    }
    const before = await client.find(type, refOf(object));
    if (object.kind === 'Namespace' && before !== undefined && !isOwnNamespace(before)) {
      report.add('same', object, 'unchanged: it existed before');
      continue;
    }
    const urls = urlsOf(before);
    const isReplaced = urls.length > 0 && (await areStopped(urls));
    if (urls.length > 0 && !isReplaced && object.kind !== 'CustomResourceDefinition') {
      report.add(
        'same',
        object,
        'unchanged: an operator outside of the cluster serves it; deploy again when that has stopped',
      );
      applied.push({ type, uid: before?.metadata.uid ?? '' });
      continue;
    }
    if (object.kind === 'CustomResourceDefinition')
      await removeConversionWebhook(
        client,
        object as unknown as CustomResourceDefinition,
        before as CustomResourceDefinition | undefined,
        { fieldManager: FIELD_MANAGER },
      );
    // The URL belongs to the field manager of that operator, so an apply would leave it.
    if (isReplaced) await client.update(type, withWebhooksOf(object, before!), { fieldManager: FIELD_MANAGER });
    const wanted = isReplaced ? object : keepingConverter(object, before);
    const after = await client.apply(type, wanted, {
      fieldManager: FIELD_MANAGER,
      force: true,
    });
    const isSame = before?.metadata.resourceVersion === after.metadata.resourceVersion;
    report.add(before === undefined ? 'create' : isSame ? 'same' : 'edit', object);
    if (object.kind === 'CustomResourceDefinition') await untilEstablished(client, object.metadata.name ?? '');
    applied.push({ type, uid: after.metadata.uid ?? '' });
  }
  return applied;
}

/**
 * Keeps the conversion webhook that an operator registered, until the next operator registers its own. The placeholder of
 * an operator that ran outside of the cluster is replaced.
 */
export function keepingConverter(object: Manifest['object'], before: KubernetesObject | undefined): Manifest['object'] {
  const [wanted, present] = [object, before].map(
    (each) => (each as Partial<CustomResourceDefinition>)?.spec?.conversion,
  );
  const [ours, theirs] = [wanted, present].map((each) => each?.webhook?.clientConfig?.service);
  const isSame = ours?.namespace === theirs?.namespace && ours?.name === theirs?.name && ours?.path === theirs?.path;
  if (wanted?.strategy !== 'Webhook' || present?.webhook?.clientConfig === undefined || isSame) return object;
  if (isConversionPlaceholder(before as CustomResourceDefinition)) return object;
  const { spec } = object as Partial<CustomResourceDefinition>;
  return { ...object, spec: { ...spec, conversion: present } };
}

/** Returns the URLs of webhooks that `pintle dev` and `pintle run` register instead of a Service. */
function urlsOf(object: KubernetesObject | undefined): string[] {
  const { webhooks = [] } = (object ?? {}) as Partial<ValidatingWebhookConfiguration>;
  const { spec } = (object ?? {}) as Partial<CustomResourceDefinition>;
  const configs = [...webhooks.map(({ clientConfig }) => clientConfig), spec?.conversion?.webhook?.clientConfig];
  return configs.flatMap((config) => (config?.url === undefined ? [] : [config.url]));
}

async function areStopped(urls: readonly string[]): Promise<boolean> {
  return (await Promise.all(urls.map(isStopped))).every(Boolean);
}

/** Returns the object with the webhooks of the manifest in place of those that were registered. */
function withWebhooksOf(manifest: Manifest['object'], before: KubernetesObject): Stored<KubernetesObject> {
  const { webhooks, spec } = manifest as Partial<ValidatingWebhookConfiguration & CustomResourceDefinition>;
  const present = before as Partial<CustomResourceDefinition>;
  const content = webhooks === undefined ? { spec: { ...present.spec, conversion: spec?.conversion } } : { webhooks };
  return { ...before, ...content } as Stored<KubernetesObject>;
}

/** Kinds whose objects are removed when a later deployment lacks them. CRDs and namespaces hold people's work, and stay. */
const PRUNED: readonly ResourceType[] = [
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  Deployment,
  Service,
  NetworkPolicy,
  RoleBinding,
  Role,
  ClusterRoleBinding,
  ClusterRole,
  ServiceAccount,
];

/**
 * Removes the objects that an earlier deployment applied and this one did not. An operator that is restricted to its
 * namespace may be deployed to others too: their objects stay.
 */
export async function prune(
  client: Client,
  applied: readonly Applied[],
  { name, namespaced }: Pick<Project, 'name' | 'namespaced'>,
  { namespace, report }: { readonly namespace: string; readonly report: Report },
): Promise<void> {
  const kept = new Set(applied.map(({ uid }) => uid));
  const labelSelector = `app.kubernetes.io/managed-by=pintle,app.kubernetes.io/name=${name}`;
  const others = applied.map(({ type }) => type).filter(({ kind }) => kind === 'ServiceMonitor');
  for (const type of [...PRUNED, ...others]) {
    if (namespaced && type.scope === 'Cluster') continue;
    const { items } = await client.list(type, { labelSelector, ...(namespaced && { namespace }) });
    for (const object of items) {
      if (!isOurs(object) || kept.has(object.metadata.uid ?? '')) continue;
      await client.delete(type, refOf(object), { propagationPolicy: 'Background' });
      report.add('delete', { ...object, apiVersion: apiVersionOf(type), kind: type.kind });
    }
  }
}

function apiVersionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Returns `undefined` for a ServiceMonitor on a cluster without the Prometheus operator. */
export async function typeOf(mapper: RestMapper, object: Manifest['object']): Promise<ResourceType | undefined> {
  try {
    return await mapper.kind(object);
  } catch (error) {
    if (object.kind === 'ServiceMonitor') return undefined;
    throw error;
  }
}

/** True when a deployment created the namespace, or an operator that ran outside of the cluster, for its lease. */
export function isOwnNamespace(namespace: KubernetesObject): boolean {
  return isOurs(namespace) || namespace.metadata.labels?.['app.kubernetes.io/managed-by'] === 'pintle';
}

/** True when a deployment applied the object. */
export function isOurs({ metadata: { managedFields } }: KubernetesObject): boolean {
  return managedFields?.some(({ manager }) => manager === FIELD_MANAGER) === true;
}

export function refOf({ metadata: { namespace, name = '' } }: KubernetesObject): { namespace?: string; name: string } {
  return { ...(namespace && { namespace }), name };
}
