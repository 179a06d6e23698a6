import { realClock } from '@pintle/async';
import type { Client } from '@pintle/client';
import { isConditionTrue, RestMapper } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { APIService } from '@pintle/kinds/apiregistration/v1';
import { ClusterRole, ClusterRoleBinding } from '@pintle/kinds/rbac/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import type { ControlPlaneOptions, Definition, UserOptions } from '../options.ts';

/** So long a server may take to serve a definition. */
const SERVED_WITHIN_MS = 10_000;

/** What a plane has before its test begins. No time passes meanwhile on a clock that stands still. */
export async function createFixtures(client: Client, options: ControlPlaneOptions): Promise<void> {
  await createDefinitions(client, options.crds ?? []);
  for (const [name, user] of Object.entries(options.users ?? {})) await grant(client, name, user);
  const mapper = new RestMapper({ client });
  for (const object of options.objects ?? []) await create(client, await mapper.kind(kindOf(object)), object);
}

async function createDefinitions(client: Client, definitions: readonly Definition[]): Promise<void> {
  const created: CustomResourceDefinition[] = [];
  for (const definition of definitions) {
    const object = 'definition' in definition ? definition.definition : definition;
    created.push(await client.create(CustomResourceDefinition, object as CustomResourceDefinition));
  }
  for (const definition of created) await untilServed(client, definition);
}

async function untilServed(client: Client, definition: CustomResourceDefinition): Promise<void> {
  const limitMs = realClock.monotonic() + SERVED_WITHIN_MS;
  while (!(await isServed(client, definition))) {
    if (realClock.monotonic() > limitMs)
      throw new Error(`Cannot start: ${definition.metadata.name} is not served after ${SERVED_WITHIN_MS} ms`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function isServed(client: Client, { metadata: { name = '' }, spec }: CustomResourceDefinition): Promise<boolean> {
  const { status } = await client.get(CustomResourceDefinition, { name });
  if (!isConditionTrue(status?.conditions, 'Established')) return false;
  const { group, scope, names, versions } = spec;
  const { name: version } = versions.find(({ served }) => served) ?? { name: '' };
  if (version === '') return true;
  const { kind, plural } = names;
  const type = resourceType({ group, version, kind, plural, scope: scope as ResourceType['scope'] });
  try {
    await client.list(type, { limit: 1 });
    await client.get(APIService, { name: `${version}.${group}` });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function grant(client: Client, name: string, { rules = [] }: UserOptions): Promise<void> {
  if (rules.length === 0) return;
  const metadata = { name: `user:${name}` };
  await client.create(ClusterRole, { metadata, rules: rules.map((rule) => ({ ...rule })) } as unknown as ClusterRole);
  await client.create(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  } as unknown as ClusterRoleBinding);
}

async function create(client: Client, type: ResourceType, object: KubernetesObject): Promise<void> {
  const created = await client.create(type, object);
  if (!('status' in object) || object.status === undefined) return;
  const { resourceVersion } = created.metadata;
  await client.update(
    type,
    {
      ...object,
      metadata: { ...object.metadata, name: created.metadata.name, ...(resourceVersion && { resourceVersion }) },
    } as KubernetesObject,
    { subresource: 'status' },
  );
}

function kindOf({ apiVersion, kind, metadata }: KubernetesObject): { apiVersion: string; kind: string } {
  if (apiVersion !== undefined && kind !== undefined) return { apiVersion, kind };
  throw new TypeError(
    `Cannot create the object ${JSON.stringify(metadata.name)}: it does not say its apiVersion and kind`,
  );
}
