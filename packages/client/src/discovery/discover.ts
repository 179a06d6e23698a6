import type { ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { CallOptions } from '../rest/options.ts';
import { objectIn } from '../rest/response.ts';

/** A resource that a server serves. */
export interface DiscoveredResource {
  readonly type: ResourceType;
  readonly verbs: ReadonlySet<string>;
  /** True for the version that the server prefers for the group. */
  readonly isPreferred: boolean;
  readonly subresources: readonly string[];
}

export interface Discovery {
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be discovered: `metrics.k8s.io/v1beta1`. Their resources are unknown. */
  readonly stale: readonly string[];
}

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

const MAX_PARALLEL_REQUESTS = 16;

/** Returns all resources that a server serves, with two requests where it supports aggregated discovery. */
export async function discover(client: Client, options: CallOptions = {}): Promise<Discovery> {
  const parts = await Promise.all(['/api', '/apis'].map((path) => discoverRoot(client, path, options)));
  return { resources: parts.flatMap(({ resources }) => resources), stale: parts.flatMap(({ stale }) => stale) };
}

async function discoverRoot(client: Client, path: string, options: CallOptions): Promise<Discovery> {
  const headers = { accept: `${AGGREGATED},application/json` };
  const answer = objectIn(await client.call({ method: 'GET', path, headers }, options));
  if (answer.kind === 'APIGroupDiscoveryList') return readAggregated(answer);
  return await discoverLegacy(client, path, answer, options);
}

/** Skips malformed entries. */
function readAggregated({ items }: JsonObject): Discovery {
  const resources: DiscoveredResource[] = [];
  const stale: string[] = [];
  for (const { metadata, versions } of objectsOf(items)) {
    const group = textOf(isJsonObject(metadata) ? metadata.name : undefined) ?? '';
    for (const [index, version] of objectsOf(versions).entries()) {
      const name = textOf(version.version) ?? '';
      if (version.freshness === 'Stale') stale.push(`${group}/${name}`);
      for (const resource of objectsOf(version.resources)) {
        const { responseKind, singularResource, subresources } = resource;
        const type = describe(group, name, {
          ...resource,
          kind: isJsonObject(responseKind) ? responseKind.kind : undefined,
          name: resource.resource,
          singular: singularResource,
        });
        if (type === undefined) continue;
        resources.push({
          type,
          verbs: new Set(textsOf(resource.verbs)),
          isPreferred: index === 0,
          subresources: textsOf(objectsOf(subresources).map(({ subresource = null }) => subresource)),
        });
      }
    }
  }
  return { resources, stale };
}

interface LegacyVersion {
  readonly group: string;
  readonly groupVersion: string;
  readonly isPreferred: boolean;
}

/** Discovers each group version by itself, a few at a time: for servers before 1.26 and some aggregated servers. */
async function discoverLegacy(
  client: Client,
  path: string,
  root: JsonObject,
  options: CallOptions,
): Promise<Discovery> {
  const versions = legacyVersionsOf(root);
  const lists: DiscoveredResource[][] = [];
  const stale: string[] = [];
  const waiting = versions.entries();
  const readNext = async (): Promise<void> => {
    for (const [index, { group, groupVersion, isPreferred }] of waiting) {
      try {
        if (!isGroupVersion(groupVersion))
          throw new ClientError({
            code: 'Unreadable',
            what: 'discovery has an invalid group version',
          });
        const list = objectIn(await client.call({ method: 'GET', path: `${path}/${groupVersion}` }, options));
        lists[index] = readLegacy(group, isPreferred, list);
      } catch (error) {
        if (!isNotFound(error) && isForbidden(error)) throw error;
        stale.push(groupVersion);
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_REQUESTS }, readNext));
  return { resources: lists.flat(), stale };
}

function legacyVersionsOf({ groups, versions }: JsonObject): LegacyVersion[] {
  if (!Array.isArray(groups)) {
    const isPreferred = (index: number) => index === 0;
    return textsOf(versions).map((groupVersion, index) => ({
      group: '',
      groupVersion,
      isPreferred: isPreferred(index),
    }));
  }
  return objectsOf(groups).flatMap(({ name, preferredVersion, versions: offered }) => {
    const preferred = isJsonObject(preferredVersion) ? preferredVersion.groupVersion : undefined;
    return objectsOf(offered).map(({ groupVersion }) => ({
      group: textOf(name) ?? '',
      groupVersion: textOf(groupVersion) ?? '',
      isPreferred: preferred !== undefined && preferred === groupVersion,
    }));
  });
}

function readLegacy(
  group: string,
  isPreferred: boolean,
  { groupVersion, resources }: JsonObject,
): DiscoveredResource[] {
  const whole = textOf(groupVersion) ?? '';
  const version = whole.slice(whole.indexOf('/') + 1);
  const found: DiscoveredResource[] = [];
  const subresources = new Map<string, string[]>();
  for (const resource of objectsOf(resources)) {
    const [name = '', ...below] = (textOf(resource.name) ?? '').split('/');
    const known = subresources.get(name) ?? [];
    subresources.set(name, known);
    if (below.length > 0) {
      known.push(below.join('/'));
      continue;
    }
    const type = describe(group, version, {
      ...resource,
      name,
      singular: resource.singularName,
      scope: resource.namespaced === true ? 'Namespaced' : 'Cluster',
    });
    if (type !== undefined)
      found.push({ type, verbs: new Set(textsOf(resource.verbs)), isPreferred, subresources: known });
  }
  return found;
}

/** Returns `undefined` when the names are not valid in a path. */
function describe(group: string, version: string, named: DiscoveryEntry): ResourceType | undefined {
  const [plural, kind, singular] = [textOf(named.name), textOf(named.kind), textOf(named.singular)];
  const isUsable = plural !== undefined && kind !== undefined && [group || 'core', version, plural].every(isSegment);
  if (!isUsable) return undefined;
  return resourceType({
    group,
    version,
    kind,
    plural,
    scope: named.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    ...(singular !== undefined && { singular }),
    ...(Array.isArray(named.shortNames) && { shortNames: textsOf(named.shortNames) }),
    ...(Array.isArray(named.categories) && { categories: textsOf(named.categories) }),
  });
}

/** Entry as the server sent it: any field may be missing, or of another type. */
interface DiscoveryEntry {
  readonly name?: JsonValue | undefined;
  readonly kind?: JsonValue | undefined;
  readonly scope?: JsonValue | undefined;
  readonly singular?: JsonValue | undefined;
  readonly shortNames?: JsonValue | undefined;
  readonly categories?: JsonValue | undefined;
}

function isGroupVersion(text: string): boolean {
  const parts = text.split('/');
  return parts.length <= 2 && parts.every(isSegment);
}

/** True when the name has only letters, digits, dashes and dots. */
function isSegment(text: string): boolean {
  return /^[a-z0-9][-a-z0-9.]*$/i.test(text);
}

function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
