import { api } from './http.ts';
import type { Json } from './objects.ts';
import { record, recordsIn, textsIn } from './objects.ts';

/** A resource that the server has. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly shortNames: readonly string[];
  readonly subresources: readonly string[];
  /** Every version of the group that has the resource, the preferred one first. */
  readonly versions: readonly string[];
}

const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Everything that can be listed, each resource once, in the version that the server prefers. */
export async function discover(signal?: AbortSignal): Promise<Kind[]> {
  const answers = await Promise.all(['/api', '/apis'].map((path) => api(path, { accept: DISCOVERY, signal })));
  return answers.flatMap((answer) => kindsIn(answer));
}

function kindsIn(body: Json): Kind[] {
  const found = new Map<string, Kind>();
  for (const item of recordsIn(record(body)?.items)) {
    const group = String(record(item.metadata)?.name ?? '');
    for (const { version, resources } of recordsIn(item.versions)) {
      for (const resource of recordsIn(resources)) addKind(found, group, String(version), resource);
    }
  }
  return [...found.values()];
}

function addKind(
  found: Map<string, Kind>,
  group: string,
  version: string,
  { resource, responseKind, scope, verbs, shortNames, subresources }: Readonly<Record<string, unknown>>,
): void {
  if (!textsIn(verbs).includes('list')) return;
  const key = `${group}/${resource}`;
  const known = found.get(key);
  if (known !== undefined) found.set(key, { ...known, versions: [...known.versions, version] });
  else
    found.set(key, {
      group,
      version,
      resource: String(resource),
      kind: String(record(responseKind)?.kind ?? resource),
      isNamespaced: scope === 'Namespaced',
      verbs: new Set(textsIn(verbs)),
      shortNames: textsIn(shortNames),
      subresources: recordsIn(subresources).map((each) => String(each.subresource)),
      versions: [version],
    });
}

export function kindId({ group, resource }: Pick<Kind, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export function apiVersionOf({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path of a resource's collection, or of one object. */
export function pathOf(kind: Kind, namespace?: string, name?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope = kind.isNamespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const tail = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${kind.resource}${tail}`;
}

export function isSecret({ group, resource }: Pick<Kind, 'group' | 'resource'>): boolean {
  return group === '' && resource === 'secrets';
}

/** True for groups of the server itself. */
export function isBuiltIn({ group }: Pick<Kind, 'group'>): boolean {
  return group === '' || !group.includes('.') || group.endsWith('.k8s.io');
}
