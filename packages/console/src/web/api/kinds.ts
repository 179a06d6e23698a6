import { api } from './http.ts';

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

interface Discovered {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string };
        readonly scope: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

/** Everything that can be listed, each resource once, in the version that the server prefers. */
export async function discover(signal?: AbortSignal): Promise<Kind[]> {
  const answers = await Promise.all(['/api', '/apis'].map((path) => api(path, { accept: DISCOVERY, signal })));
  return answers.flatMap((answer) => kindsIn(answer as unknown as Discovered));
}

function kindsIn({ items = [] }: Discovered): Kind[] {
  const found = new Map<string, Kind>();
  for (const { metadata, versions } of items) {
    const group = metadata?.name ?? '';
    for (const { version, resources = [] } of versions) {
      for (const { resource, responseKind, scope, verbs, shortNames = [], subresources = [] } of resources) {
        if (!verbs.includes('list')) continue;
        const key = `${group}/${resource}`;
        const known = found.get(key);
        if (known !== undefined) found.set(key, { ...known, versions: [...known.versions, version] });
        else
          found.set(key, {
            group,
            version,
            resource,
            kind: responseKind?.kind ?? resource,
            isNamespaced: scope === 'Namespaced',
            verbs: new Set(verbs),
            shortNames,
            subresources: subresources.map((each) => each.subresource),
            versions: [version],
          });
      }
    }
  }
  return [...found.values()];
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

/** Groups of the server itself end so; every other is somebody's own. */
export function isBuiltIn({ group }: Pick<Kind, 'group'>): boolean {
  return group === '' || !group.includes('.') || group.endsWith('.k8s.io');
}
