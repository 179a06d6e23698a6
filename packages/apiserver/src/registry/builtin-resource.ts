import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { BuiltinResource } from '@pintle/kinds/discovery';
import { loadRules } from '@pintle/kinds/rules';
import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupKind, GroupVersion } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';
import { definitionRules } from '../crd/definition-rules.ts';
import type { Verb } from '../request/request-info.ts';
import { builtinReader } from './builtin-reader.ts';
import type { ServedResource, ServedSubresource } from './served-resource.ts';
import { specialTraits } from './special/special-traits.ts';
import { subresourceEndpoints } from './subresources/subresource-endpoints.ts';

export const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** A built-in resource, ready to be served. Its schema is compiled when first needed. */
export async function serveBuiltin(
  { group, version }: GroupVersion,
  resource: BuiltinResource,
): Promise<ServedResource> {
  const { kind } = resource.responseKind;
  const type = resourceType({
    group,
    version,
    kind,
    plural: resource.resource,
    singular: resource.singular,
    scope: resource.scope,
    shortNames: resource.shortNames,
    categories: resource.categories,
  });
  const hasStatus = resource.subresources.some(({ subresource }) => subresource === 'status');
  return {
    type,
    storage: { group, resource: resource.resource },
    verbs: new Set(resource.verbs as Verb[]),
    rules: await builtinRules({ group, kind }, hasStatus),
    reader: builtinReader(type),
    fieldSchema: () => schemaOf(type),
    itemsAreTyped: false,
    isCustom: false,
    patchTypes: PATCH_TYPES,
    subresources: new Map(subresourcesOf(group, resource)),
    ...specialTraits({ group, version, resource: resource.resource }),
  };
}

async function builtinRules(kind: GroupKind, hasStatus: boolean): Promise<ResourceRules> {
  const rules = await loadRules(kind, { hasStatus });
  const isDefinition = kind.group === 'apiextensions.k8s.io' && kind.kind === 'CustomResourceDefinition';
  return isDefinition ? (definitionRules(rules as ResourceRules<CustomResourceDefinition>) as ResourceRules) : rules;
}

function* subresourcesOf(group: string, resource: BuiltinResource): Generator<[string, ServedSubresource]> {
  for (const { subresource: name, verbs } of resource.subresources) {
    const endpoints = subresourceEndpoints({ group, resource: resource.resource }, name);
    if (endpoints === 'unserved') continue;
    yield [name, { name, verbs: new Set(verbs as Verb[]), ...(endpoints && { endpoints }) }];
  }
}
