import type { BuiltinGroup, BuiltinResource } from '@pintle/kinds/discovery';
import { builtinGroups } from '@pintle/kinds/discovery';
import { rulesOf } from '@pintle/kinds/rules';
import { schemaOf } from '@pintle/kinds/schemas';
import { resourceType } from '@pintle/machinery';
import { compileTyped } from '@pintle/machinery/schema';
import type { Verb } from '../request/request-info.ts';
import type { ObjectReader, ServedResource, ServedSubresource } from './served-resource.ts';

const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** Every built-in resource that keeps objects, ready to be served. Schemas are compiled when first needed. */
export function builtinResources(): ServedResource[] {
  return builtinGroups.flatMap((group) =>
    group.versions.flatMap(({ version, resources }) =>
      resources.filter(({ verbs }) => verbs.includes('list')).map((resource) => serve(group, version, resource)),
    ),
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
    rules: rulesOf({ group, kind }, { hasStatus }),
    reader: lazyReader(type),
    itemsAreTyped: false,
    isCustom: false,
    patchTypes: PATCH_TYPES,
    subresources: new Map(resource.subresources.map((sub) => [sub.subresource, subresourceOf(sub)])),
  };
}

function subresourceOf({ subresource, verbs }: { subresource: string; verbs: readonly string[] }): ServedSubresource {
  return { name: subresource, verbs: new Set(verbs as Verb[]) };
}

function lazyReader(gvk: { group: string; version: string; kind: string }): ObjectReader {
  let reader: ObjectReader | undefined;
  return {
    read: (value) => {
      if (reader === undefined) {
        const schema = schemaOf(gvk);
        if (schema === undefined) throw new Error(`Cannot read ${gvk.kind}: it has no schema`);
        reader = compileTyped(schema);
      }
      return reader.read(value);
    },
  };
}
