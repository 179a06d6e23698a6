import type { JsonObject } from '@pintle/machinery/json';

export interface ThingVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: JsonObject;
  readonly [field: string]: unknown;
}

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A definition of namespaced Things in `example.com`. The first version is stored unless another is. */
export function thingDefinition(versions: readonly ThingVersion[], spec: object = {}) {
  const hasStorage = versions.some(({ storage }) => storage);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: versions.map(({ schema = OPEN, ...version }, index) => ({
        served: true,
        storage: !hasStorage && index === 0,
        ...version,
        schema: { openAPIV3Schema: schema },
      })),
      ...spec,
    },
  };
}

/** Things of two versions, v1 stored, which a webhook converts. */
export function convertedThings(
  { url, caBundle }: { readonly url: string; readonly caBundle: string },
  conversionReviewVersions: string[] = ['v1'],
) {
  const clientConfig = { url: `${url}/convert`, caBundle };
  const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions, clientConfig } };
  const definition = thingDefinition([{ name: 'v1' }, { name: 'v2' }]);
  return { ...definition, spec: { ...definition.spec, conversion } };
}

export function thing(version: string, name: string, more: object = {}) {
  return { apiVersion: `example.com/${version}`, kind: 'Thing', metadata: { name }, ...more };
}

export function thingsAt(version: string, rest = ''): string {
  return `/apis/example.com/${version}/namespaces/default/things${rest}`;
}
