import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { BuiltinGroup, BuiltinResource } from '@pintle/kinds/discovery';
import { builtinGroups } from '@pintle/kinds/discovery';
import { rulesOf } from '@pintle/kinds/rules';
import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupKind } from '@pintle/machinery';
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

/** Every built-in resource, ready to be served. Schemas are compiled when first needed. */
export function builtinResources(): ServedResource[] {
  return builtinGroups.flatMap((group) =>
    group.versions.flatMap(({ version, resources }) => resources.map((resource) => serve(group, version, resource))),
  );
}

function serve({ group }: BuiltinGroup, version: string, resource: BuiltinResource): ServedResource {
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
    rules: builtinRules({ group, kind }, hasStatus),
    reader: builtinReader(type),
    fieldSchema: () => schemaOf(type),
    itemsAreTyped: false,
    isCustom: false,
    patchTypes: PATCH_TYPES,
    subresources: new Map(subresourcesOf(group, resource)),
    ...specialTraits({ group, version, resource: resource.resource }),
  };
}

function builtinRules(kind: GroupKind, hasStatus: boolean): ResourceRules {
  const rules = rulesOf(kind, { hasStatus });
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
