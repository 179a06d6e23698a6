import { protobufTable } from '@pintle/kinds/protobuf';
import type { KubernetesObject } from '@pintle/machinery';
import { toKubernetesObject } from '@pintle/machinery';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { deepEqual, isJsonObject } from '@pintle/machinery/json';
import type { ProtobufTable } from '@pintle/machinery/protobuf';

/**
 * CustomResourceDefinitions lie in etcd as apiextensions.k8s.io/v1beta1, which no server serves any more. There, what all versions of
 * a definition share stands once, beside the versions, a conversion webhook has another form, and the path of a column another name.
 * kube-apiserver writes them in JSON, and reads protobuf too.
 */
const PACKAGE = 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions';
export const STORED_DEFINITION = `${PACKAGE}.v1beta1.CustomResourceDefinition`;

/** The messages of v1beta1 that differ from v1; the others are those of v1. Columns differ by the name of a field alone. */
export const definitionTable: ProtobufTable = {
  ...protobufTable,
  [STORED_DEFINITION]: `struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ${PACKAGE}.v1beta1.CustomResourceDefinitionSpec|3 status pe ${PACKAGE}.v1.CustomResourceDefinitionStatus`,
  [`${PACKAGE}.v1beta1.CustomResourceDefinitionSpec`]: [
    'struct',
    '1 group pe string',
    '2 version po string',
    `3 names pe ${PACKAGE}.v1.CustomResourceDefinitionNames`,
    '4 scope pe string',
    `5 validation oo ${PACKAGE}.v1.CustomResourceValidation`,
    `6 subresources oo ${PACKAGE}.v1.CustomResourceSubresources`,
    `7 versions lo ${PACKAGE}.v1.CustomResourceDefinitionVersion`,
    `8 additionalPrinterColumns lo ${PACKAGE}.v1.CustomResourceColumnDefinition`,
    `11 selectableFields lo ${PACKAGE}.v1.SelectableField`,
    `9 conversion oo ${PACKAGE}.v1beta1.CustomResourceConversion`,
    '10 preserveUnknownFields oo bool',
  ].join('|'),
  [`${PACKAGE}.v1beta1.CustomResourceConversion`]: `struct|1 strategy pe string|2 webhookClientConfig oo ${PACKAGE}.v1.WebhookClientConfig|3 conversionReviewVersions lo string`,
};

/** Fields of a version, and their names where all versions share them. */
const SHARED_FIELDS = [
  ['schema', 'validation'],
  ['subresources', 'subresources'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
  ['selectableFields', 'selectableFields'],
] as const;

/** Converts from v1 to v1beta1. */
export function toStoredDefinition(object: KubernetesObject): KubernetesObject {
  const { spec, ...rest } = object as KubernetesObject & { spec: JsonObject };
  const { versions, conversion, preserveUnknownFields, ...others } = spec;
  const stored: JsonObject = { ...others, preserveUnknownFields: preserveUnknownFields === true };
  const list = objectsIn(versions).map((version) => withColumns(version, 'jsonPath', 'JSONPath'));
  const [first] = list;
  if (first !== undefined) {
    stored.version = first.name!;
    stored.versions = list;
    for (const [field, shared] of SHARED_FIELDS) {
      const value = first[field];
      if (value === undefined || !list.every((version) => isSame(version[field], value))) continue;
      stored[shared] = value;
      for (const version of list) delete version[field];
    }
  }
  if (isJsonObject(conversion)) stored.conversion = toStoredConversion(conversion);
  return toKubernetesObject({ ...rest, apiVersion: 'apiextensions.k8s.io/v1beta1', spec: stored });
}

/** Converts from v1beta1 to v1. */
export function fromStoredDefinition(object: KubernetesObject): KubernetesObject {
  const { spec, ...rest } = object as KubernetesObject & { spec: JsonObject };
  const { version, versions, conversion, preserveUnknownFields = true, ...shared } = spec;
  const others = withColumns(shared, 'JSONPath', 'jsonPath');
  const list = objectsIn(versions).map((item) => withColumns(item, 'JSONPath', 'jsonPath'));
  if (list.length === 0 && typeof version === 'string' && version !== '')
    list.push({ name: version, served: true, storage: true });
  for (const [field, sharedField] of SHARED_FIELDS) {
    const value = others[sharedField];
    delete others[sharedField];
    if (value !== undefined) for (const item of list) item[field] = value;
  }
  const record: JsonObject = {
    ...others,
    versions: list,
    conversion: isJsonObject(conversion) ? fromStoredConversion(conversion) : { strategy: 'None' },
    ...(preserveUnknownFields === true && { preserveUnknownFields }),
  };
  return toKubernetesObject({ ...rest, apiVersion: 'apiextensions.k8s.io/v1', spec: record });
}

function toStoredConversion({ webhook, ...others }: JsonObject): JsonObject {
  if (!isJsonObject(webhook)) return others;
  const { clientConfig, conversionReviewVersions } = webhook;
  return {
    ...others,
    ...(clientConfig !== undefined && { webhookClientConfig: clientConfig }),
    ...(conversionReviewVersions !== undefined && { conversionReviewVersions }),
  };
}

function fromStoredConversion({ webhookClientConfig, conversionReviewVersions, ...others }: JsonObject): JsonObject {
  const isWebhook = others.strategy === 'Webhook';
  const reviewVersions = conversionReviewVersions ?? (isWebhook ? ['v1beta1'] : undefined);
  if (webhookClientConfig === undefined && reviewVersions === undefined) return others;
  const webhook: JsonObject = {
    ...(webhookClientConfig !== undefined && { clientConfig: webhookClientConfig }),
    ...(reviewVersions !== undefined && { conversionReviewVersions: reviewVersions }),
  };
  return { ...others, webhook };
}

/** Returns a copy whose columns have the other name for their path. */
function withColumns(holder: JsonObject, from: string, to: string): JsonObject {
  if (!Array.isArray(holder.additionalPrinterColumns)) return { ...holder };
  const columns = objectsIn(holder.additionalPrinterColumns).map(({ [from]: path, ...column }) => ({
    ...column,
    ...(path !== undefined && { [to]: path }),
  }));
  return { ...holder, additionalPrinterColumns: columns };
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function isSame(one: JsonValue | undefined, other: JsonValue): boolean {
  return one !== undefined && deepEqual(one, other);
}
