import { builtinReader } from '@pintle/apiserver/builtin-kinds';
import type { Verb } from '@pintle/apiserver/request';
import type { ServedResource, ServedSubresource } from '@pintle/apiserver/resource';
import type { BuiltinResource } from '@pintle/kinds/discovery';
import { loadRules } from '@pintle/kinds/rules';
import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersion } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { asJson } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { compileStripEmptyLists } from '@pintle/machinery/schema';
import type { BuiltinServices } from './builtin-services.ts';
import { specialTraits } from './special/special-traits.ts';
import { subresourceEndpoints } from './subresources/subresource-endpoints.ts';

export const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** Returns a built-in resource to serve. Its schema is compiled on first use. */
export async function serveBuiltin(
  services: BuiltinServices,
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
  let schema: Schema | undefined;
  const fieldSchema = (): Schema | undefined => {
    schema ??= schemaOf(type);
    return schema;
  };
  const hasStatus = resource.subresources.some(({ subresource }) => subresource === 'status');
  return {
    type,
    storage: { group, resource: resource.resource },
    verbs: new Set(resource.verbs as Verb[]),
    rules: await loadRules({ group, kind }, { hasStatus }),
    reader: builtinReader(type),
    fieldSchema,
    stripEmptyLists: (object) => compileStripEmptyLists(fieldSchema()!)(asJson(object)),
    itemsAreTyped: false,
    isCustom: false,
    patchTypes: PATCH_TYPES,
    subresources: new Map(subresourcesOf(services, group, resource)),
    ...specialTraits(services, { group, version, resource: resource.resource }),
  };
}

function* subresourcesOf(
  services: BuiltinServices,
  group: string,
  resource: BuiltinResource,
): Generator<[string, ServedSubresource]> {
  const endpointsOf = subresourceEndpoints(services);
  for (const { subresource: name, verbs } of resource.subresources) {
    const endpoints = endpointsOf({ group, resource: resource.resource }, name);
    if (endpoints === 'unserved') continue;
    yield [name, { name, verbs: new Set(verbs as Verb[]), ...(endpoints && { endpoints }) }];
  }
}
