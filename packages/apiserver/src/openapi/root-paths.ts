import type { CatalogGroup } from '../discovery/catalog.ts';
import type { PathItem } from './model.ts';
import { pathItem } from './model.ts';
import { groupId } from './resource-paths.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const TYPES = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];

/** Documents of one path each, under the name they have in the index: discovery and the version. */
export function rootPaths(groups: readonly CatalogGroup[]): ReadonlyMap<string, PathItem> {
  const builtin = groups.filter(({ group, versions }) => group !== '' && !versions.every(({ isCustom }) => isCustom));
  return new Map([
    ['api', readOnly('/api/', 'getCoreAPIVersions', 'core', `${META}.APIVersions`)],
    ['apis', readOnly('/apis/', 'getAPIVersions', 'apis', `${META}.APIGroupList`)],
    ...builtin.map(({ group }) => [`apis/${group}`, groupItem(group)] as const),
    [
      'version',
      readOnly('/version/', 'getCodeVersion', 'version', 'io.k8s.apimachinery.pkg.version.Info', TYPES.slice(0, 1)),
    ],
  ]);
}

function groupItem(group: string): PathItem {
  const id = groupId({ group, isCustom: false });
  const tag = id.slice(0, 1).toLowerCase() + id.slice(1);
  return readOnly(`/apis/${group}/`, `get${id}APIGroup`, tag, `${META}.APIGroup`);
}

function readOnly(
  path: string,
  id: string,
  tag: string,
  typeName: string,
  produces: readonly string[] = TYPES,
): PathItem {
  return pathItem(path, {
    get: { id, tag, parameters: [], responses: { 200: { typeName }, 401: 'nothing' }, produces },
  });
}
