import type {
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  WebhookClientConfig,
} from '@pintle/kinds/apiextensions/v1';
import { customResourceDefinitionRules } from '@pintle/kinds/definition-rules';
import { deepCopy } from '@pintle/machinery/json';
import type { DefinitionProblem } from './errors.ts';
import { ResourceError } from './errors.ts';
import type { ResourceOptions, VersionOptions } from './options.ts';
import type { ResourceSchema } from './resource-schema.ts';
import { isOptional, jsonSchemaOf } from './resource-schema.ts';
import { structuralSchema } from './structural-schema.ts';
import { nameProblems, unconverted } from './version-problems.ts';

/** Options of a resource with default names. */
export interface CompleteOptions extends ResourceOptions {
  readonly plural: string;
  readonly singular: string;
  readonly versions: Readonly<Record<string, VersionOptions>>;
  readonly storage: string;
  readonly conversions?: object | undefined;
  readonly conversion?: CustomResourceConversion | undefined;
}

/**
 * Placeholder of the conversion webhook, which a definition must have: the service of kubebuilder's scaffold.
 */
const PLACEHOLDER: WebhookClientConfig = {
  service: { namespace: 'system', name: 'webhook-service', path: '/convert' },
};

/** True while the conversion webhook of a definition is the placeholder. */
export function isConversionPlaceholder({ spec: { conversion } }: CustomResourceDefinition): boolean {
  const { service } = conversion?.webhook?.clientConfig ?? {};
  return service?.namespace === PLACEHOLDER.service?.namespace && service?.name === PLACEHOLDER.service?.name;
}

/** Returns the CustomResourceDefinition. Throws a `ResourceError` with everything that Kubernetes would refuse. */
export function definitionOf(options: CompleteOptions): CustomResourceDefinition {
  const { group, kind, plural, singular, shortNames, categories, scope = 'Namespaced', labels, annotations } = options;
  const problems: DefinitionProblem[] = nameProblems({ ...options, names: Object.keys(options.versions) });
  const names = { kind, listKind: options.listKind ?? `${kind}List`, plural, singular };
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
    },
    spec: {
      group,
      names: {
        ...names,
        ...(shortNames?.length && { shortNames: [...shortNames] }),
        ...(categories?.length && { categories: [...categories] }),
      },
      scope,
      versions: Object.entries(options.versions).map(([name, version]) => versionOf(name, version, options, problems)),
      conversion: options.conversions
        ? { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: PLACEHOLDER } }
        : (options.conversion ?? { strategy: 'None' }),
    },
  };
  if (problems.length === 0) problems.push(...unconverted(definition.spec.versions, options));
  if (problems.length === 0) problems.push(...validationErrors(definition));
  if (problems.length > 0)
    throw new ResourceError({ code: 'InvalidDefinition', resource: `${kind}.${group}`, problems });
  return definition;
}

function versionOf(
  name: string,
  version: VersionOptions,
  { description, storage, versions }: CompleteOptions,
  problems: DefinitionProblem[],
): CustomResourceDefinitionVersion {
  const { served = true, deprecated, columns, scale, selectableFields } = version;
  const prefix = Object.keys(versions).length > 1 ? `${name}.` : '';
  const warning = typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {};
  const subresources = version.subresources ?? {
    ...(version.status && { status: {} }),
    ...(scale && { scale: { ...scale } }),
  };
  return {
    name,
    served,
    storage: name === storage,
    ...(deprecated && { deprecated: true, ...warning }),
    schema: { openAPIV3Schema: rootSchema(version, description, prefix, problems) },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns?.length && { additionalPrinterColumns: columns.map((column) => ({ ...column })) }),
    ...(selectableFields?.length && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}

function rootSchema(
  { spec, status, rules, description, schema: given = {} }: VersionOptions,
  shared: string | undefined,
  prefix: string,
  problems: DefinitionProblem[],
): JSONSchemaProps {
  const text = description ?? shared;
  const properties: Record<string, JSONSchemaProps> = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
  };
  const required: string[] = [];
  if (spec !== undefined) {
    properties.spec = fieldSchema(spec, `${prefix}spec`, problems);
    if (given.required === undefined && !isOptional(spec) && !mayBeEmpty(properties.spec)) required.push('spec');
  }
  if (status !== undefined) properties.status = fieldSchema(status, `${prefix}status`, problems);
  return {
    ...(text !== undefined && { description: text }),
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(rules?.length && { 'x-kubernetes-validations': rules.map((rule) => ({ ...rule })) }),
    ...given,
    ...(given.properties && { properties: { ...properties, ...given.properties } }),
  };
}

function fieldSchema(schema: ResourceSchema, path: string, problems: DefinitionProblem[]): JSONSchemaProps {
  const structural = structuralSchema(jsonSchemaOf(schema), path);
  problems.push(...structural.problems);
  return structural.schema;
}

/** Gives a spec without required fields the default `{}`, so that readers can rely on it. */
function mayBeEmpty(spec: JSONSchemaProps): boolean {
  if (spec.type !== 'object' || spec.nullable || spec.required?.length || spec.oneOf || spec.anyOf) return false;
  spec.default ??= {};
  return true;
}

/** Returns the validation errors that the server would return. */
function validationErrors(definition: CustomResourceDefinition): DefinitionProblem[] {
  const sent = deepCopy(definition);
  customResourceDefinitionRules.default?.(sent);
  customResourceDefinitionRules.prepareForCreate?.(sent);
  const errors = customResourceDefinitionRules.validate?.(sent) ?? [];
  const isMany = definition.spec.versions.length > 1;
  const found = errors.map(({ field, body }) => ({
    path: pathInResource(field, isMany ? definition.spec.versions.map(({ name }) => name) : undefined),
    message: body,
  }));
  return found.filter(
    ({ path, message }, index) => found.findIndex((e) => e.path === path && e.message === message) === index,
  );
}

const VERSION = /^spec\.versions\[(\d+)\]\./;
/** Errors that are the same in all versions are reported once, without a version. */
const SHARED = /^spec\.(?=validation\.|additionalPrinterColumns\b|selectableFields\b|subresources\b)/;
const SCHEMA = /^(?:schema|validation)\.openAPIV3Schema\.?/;

/** Shortens `spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].minimum` to `spec.size.minimum`. */
function pathInResource(field: string, versions: readonly string[] | undefined): string {
  const index = VERSION.exec(field)?.[1];
  const version = index === undefined ? undefined : versions?.[Number(index)];
  const path = field
    .replace(VERSION, '')
    .replace(SHARED, '')
    .replace(SCHEMA, '')
    .replace(/^additionalPrinterColumns/, 'columns')
    .replace(/^subresources\./, '')
    .replaceAll(/\.?properties\[([^\]]*)\]/g, '.$1')
    .replaceAll('.items', '[]')
    .replaceAll('.additionalProperties', '{}')
    .replace(/^\./, '');
  return version === undefined ? path : `${version}.${path}`;
}
