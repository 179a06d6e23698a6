/** A group and one of its versions. The core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

/** Returns `apps/v1`, or `v1` for the core group: the `apiVersion` of an object. */
export function formatGroupVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Reads `apps/v1` or `v1`. `undefined` when there is more than one slash. */
export function parseGroupVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf('/');
  if (slash === -1) return { group: '', version: apiVersion };
  if (apiVersion.indexOf('/', slash + 1) !== -1) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Returns `deployments.apps`, or `pods` for the core group, as errors and permissions name a resource. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Returns `Deployment.apps`, or `Pod` for the core group. */
export function formatGroupKind({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** Returns the GVK of an object's `apiVersion` and `kind`. `undefined` when `apiVersion` cannot be read. */
export function gvkOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind | undefined {
  const groupVersion = parseGroupVersion(object.apiVersion);
  return groupVersion && { ...groupVersion, kind: object.kind };
}

/**
 * Orders versions as discovery does: v2 before v1, then v1beta2, v1beta1, v1alpha1, then everything else by name.
 * Negative when `a` comes first.
 */
export function compareVersions(a: string, b: string): number {
  const left = rankVersion(a);
  const right = rankVersion(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  for (let i = 0; i < left.length; i++) {
    const difference = right[i]! - left[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns [stability, major, minor], of which higher sorts first; `undefined` when it is not a Kubernetes-like version. */
function rankVersion(version: string): readonly [number, number, number] | undefined {
  const match = /^v([1-9]\d{0,9})(?:(alpha|beta)([1-9]\d{0,9}))?$/.exec(version);
  if (!match) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
