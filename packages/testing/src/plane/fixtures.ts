import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import {
  type Client,
  isConditionTrue,
  type NewObject,
  RestMapper,
  resourcePath,
  retryOnConflict,
} from '@pintle/client';
import { CustomResourceDefinition, type WebhookClientConfig } from '@pintle/kinds/apiextensions/v1';
import { APIService } from '@pintle/kinds/apiregistration/v1';
import { ClusterRole, ClusterRoleBinding } from '@pintle/kinds/rbac/v1';
import { type KubernetesObject, type ResourceType, resourceType } from '@pintle/machinery';
import { isAlreadyExists, isNotFound } from '@pintle/machinery/errors';
import { isJsonObject } from '@pintle/machinery/json';
import { parseYamlDocuments } from '@pintle/machinery/yaml';
import type { ControlPlaneOptions, Definition, UserOptions, WebhookHandlers } from '../options.ts';

/** Limit for a server to serve a new definition. */
const SERVED_WITHIN_MS = 10_000;

const FREE_WITHIN_MS = 60_000;
const POLL_MS = 50;

/** Creates the objects that a plane has before its test begins. No time passes meanwhile on a stepped clock. */
export async function createFixtures(
  client: Client,
  options: ControlPlaneOptions,
  dependencies: FixturesDependencies,
): Promise<void> {
  const { onCreated, addressOf } = dependencies;
  const add = async <T extends KubernetesObject>(type: ResourceType<T>, object: NewObject<T>): Promise<T> => {
    const created = await createWhenFree(client, type, object, dependencies);
    const { namespace, name = '' } = created.metadata;
    onCreated(resourcePath(type, { namespace, name }));
    return created;
  };
  const define: Define = async (definition) => {
    try {
      return await add(CustomResourceDefinition, definition);
    } catch (error) {
      if (!dependencies.isShared || !isAlreadyExists(error)) throw error;
      return await updateDefinition(client, definition);
    }
  };
  const crds = await withManifests(options.crds ?? []);
  const definitions = crds.filter(isDefinition).map((each) => definitionIn(each, dependencies.conversionWebhookOf));
  await createDefinitions(client, definitions, define);
  for (const [name, user] of Object.entries(options.users ?? {})) await grant(name, user, add);
  const mapper = new RestMapper({ client });
  for (const object of await withManifests(options.objects ?? []))
    await create(client, await mapper.kind(kindOf(object)), object, add);
  const configurations = (options.webhooks ?? []).flatMap((webhooks) => configurationsOf(webhooks, addressOf));
  for (const object of configurations) await add(await mapper.kind(kindOf(object)), object);
}

interface FixturesDependencies {
  /** Called with the path of each object once it is created. */
  readonly onCreated: (path: string) => void;
  readonly addressOf: AddressOf;
  /** Returns the address of the conversion webhook of a definition; `undefined` keeps the one of the definition. */
  readonly conversionWebhookOf: ConversionWebhookOf;
  /** True on an existing cluster. Definitions that exist there are updated, and stay afterwards. */
  readonly isShared: boolean;
  /** Removes the object at the path if a plane of a finished test left it behind. Returns true if so. */
  readonly release: (path: string) => Promise<boolean>;
}

type Define = (definition: CustomResourceDefinition) => Promise<CustomResourceDefinition>;

/** Updates a definition that exists to the one of the test, as envtest does. */
async function updateDefinition(
  client: Client,
  definition: CustomResourceDefinition,
): Promise<CustomResourceDefinition> {
  const { name = '', labels, annotations } = definition.metadata;
  return await retryOnConflict(async () => {
    const found = await client.get(CustomResourceDefinition, { name });
    const metadata = {
      ...found.metadata,
      labels: { ...found.metadata.labels, ...labels },
      annotations: { ...found.metadata.annotations, ...annotations },
    };
    // The webhook that converts there goes on until an operator of the test registers its own.
    const isConverted = found.spec.conversion?.strategy === 'Webhook' && definition.spec.conversion !== undefined;
    const conversion = isConverted ? found.spec.conversion : definition.spec.conversion;
    const spec = { ...definition.spec, ...(conversion && { conversion }) };
    return await client.update(CustomResourceDefinition, { ...found, metadata, spec });
  });
}

/** Creates an object; waits while an object of the same name is being deleted. */
async function createWhenFree<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  object: NewObject<T>,
  { release }: FixturesDependencies,
): Promise<T> {
  const limitMs = realClock.monotonic() + FREE_WITHIN_MS;
  for (;;) {
    try {
      return await client.create(type, object);
    } catch (error) {
      if (!isAlreadyExists(error) || realClock.monotonic() > limitMs) throw error;
      const { namespace, name = '' } = object.metadata;
      const held = await client.find(type, { namespace, name });
      const isHeld = held !== undefined && held.metadata.deletionTimestamp === undefined;
      if (isHeld && !(await release(resourcePath(type, { namespace, name })))) throw error;
      await realClock.sleep(POLL_MS);
    }
  }
}

function configurationsOf(webhooks: WebhookHandlers | KubernetesObject, addressOf: AddressOf): KubernetesObject[] {
  if (!('configurations' in webhooks)) return [webhooks as KubernetesObject];
  const { mutating, validating } = webhooks.configurations({ url: addressOf(webhooks) });
  return [mutating, validating].filter((object) => (object as { webhooks?: unknown[] }).webhooks?.length);
}

/** Returns the address at which the server calls webhooks of this process. */
type AddressOf = (webhooks: WebhookHandlers) => string;

async function withManifests<T>(entries: readonly (T | string)[]): Promise<(T | KubernetesObject)[]> {
  const all: (T | KubernetesObject)[] = [];
  for (const entry of entries) {
    if (typeof entry === 'string') all.push(...(await readManifests(entry)));
    else all.push(entry);
  }
  return all;
}

/** Folders of definitions may have other objects too. */
function isDefinition(definition: Definition): boolean {
  return 'definition' in definition || definition.kind === 'CustomResourceDefinition';
}

type Add = <T extends KubernetesObject>(type: ResourceType<T>, object: NewObject<T>) => Promise<T>;

async function createDefinitions(
  client: Client,
  definitions: readonly CustomResourceDefinition[],
  define: Define,
): Promise<void> {
  const created: CustomResourceDefinition[] = [];
  for (const definition of definitions) created.push(await define(definition));
  for (const definition of created) await untilServed(client, definition);
}

type ConversionWebhookOf = (resource: object) => WebhookClientConfig | undefined;

/**
 * Returns the definition with a conversion webhook from the start. Without one, objects of different versions would be stored
 * unconverted before the operator registers its webhook.
 */
function definitionIn(definition: Definition, conversionWebhookOf: ConversionWebhookOf): CustomResourceDefinition {
  if (!('definition' in definition)) return definition as CustomResourceDefinition;
  const { spec, ...object } = definition.definition as CustomResourceDefinition;
  const clientConfig = conversionWebhookOf(definition);
  if (clientConfig === undefined) return { ...object, spec };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  return { ...object, spec: { ...spec, conversion } };
}

export async function untilServed(client: Client, definition: CustomResourceDefinition): Promise<void> {
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
  const served = versions.filter((each) => each.served);
  const { name: version } = served.find(({ storage }) => storage) ?? served[0] ?? { name: '' };
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

async function grant(name: string, { rules = [] }: UserOptions, add: Add): Promise<void> {
  if (rules.length === 0) return;
  const metadata = { name: `user:${name}` };
  await add(ClusterRole, { metadata, rules: rules.map((rule) => ({ ...rule })) } as unknown as ClusterRole);
  await add(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  } as unknown as ClusterRoleBinding);
}

async function create(client: Client, type: ResourceType, object: KubernetesObject, add: Add): Promise<void> {
  const created = await add(type, object);
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
  throw new TypeError(`Cannot create the object ${JSON.stringify(metadata.name)}: it has no apiVersion or kind`);
}

/** Reads the objects of a YAML or JSON file, or of the files of a folder in the order of their names. Splits lists. */
async function readManifests(path: string): Promise<KubernetesObject[]> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name)).sort() : [];
  const files = isFolder ? names.map((name) => join(path, name)) : [path];
  const all = await Promise.all(files.map(readObjects));
  return all.flat();
}

export async function readObjects(file: string): Promise<KubernetesObject[]> {
  const documents = parseYamlDocuments(await readFile(file));
  return documents.flatMap((document) => {
    if (!isJsonObject(document)) throw new TypeError(`Cannot read ${file}: found a document that is not an object`);
    return Array.isArray(document.items) ? document.items : [document];
  }) as unknown as KubernetesObject[];
}
