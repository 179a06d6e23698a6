import type { CatalogGroup } from '../discovery/catalog.ts';
import type { Operation, PathItem } from './model.ts';
import { pathItem } from './model.ts';
import { groupId } from './resource-paths.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Returns documents of one path each, by their names in the index: discovery, the version, and the issuer of tokens. */
export function rootPaths(groups: readonly CatalogGroup[]): ReadonlyMap<string, PathItem> {
  const builtin = groups.filter(({ group, versions }) => group !== '' && !versions.every(({ isCustom }) => isCustom));
  return new Map([
    ['.well-known/openid-configuration', issuerItem('/.well-known/openid-configuration/', ISSUER_CONFIGURATION)],
    ['openid/v1/jwks', issuerItem('/openid/v1/jwks/', ISSUER_KEYS)],
    ['api', readOnly('/api/', 'getCoreAPIVersions', 'core', `${META}.APIVersions`)],
    ['apis', readOnly('/apis/', 'getAPIVersions', 'apis', `${META}.APIGroupList`)],
    ...builtin.map(({ group }) => [`apis/${group}`, groupItem(group)] as const),
    [
      'version',
      readOnly('/version/', 'getCodeVersion', 'version', 'io.k8s.apimachinery.pkg.version.Info', TYPES.slice(0, 1)),
    ],
  ]);
}

type TextOperation = Pick<Operation, 'id' | 'tag' | 'produces'>;

const ISSUER_CONFIGURATION: TextOperation = {
  id: 'getServiceAccountIssuerOpenIDConfiguration',
  tag: 'WellKnown',
  produces: ['application/json'],
};
const ISSUER_KEYS: TextOperation = {
  id: 'getServiceAccountIssuerOpenIDKeyset',
  tag: 'openid',
  produces: ['application/jwk-set+json'],
};

/** Returns a path of the issuer of tokens, without parameters and a type. */
function issuerItem(path: string, operation: TextOperation): PathItem {
  return pathItem(path, {
    get: { ...operation, parameters: [], responses: { 200: 'text', 401: 'nothing' }, consumes: [] },
  });
}

function groupItem(group: string): PathItem {
  const id = groupId({ group, isCustom: false });
  const tag = id.slice(0, 1).toLowerCase() + id.slice(1);
  return readOnly(`/apis/${group}/`, `get${id}APIGroup`, tag, `${META}.APIGroup`);
}

function readOnly(path: string, id: string, tag: string, typeName: string, types: readonly string[] = TYPES): PathItem {
  return pathItem(path, {
    get: {
      id,
      tag,
      parameters: [],
      responses: { 200: { typeName }, 401: 'nothing' },
      produces: types,
      consumes: types,
    },
  });
}
