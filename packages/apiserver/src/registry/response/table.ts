import { columnDescriptions, nameAndCreation } from '@pintle/kinds/rules';
import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import { badRequestError } from '@pintle/machinery/errors';
import { asJson, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import type { RequestContext } from '../../resource/endpoint.ts';

type IncludeObject = 'None' | 'Metadata' | 'Object';
const INCLUDE_OBJECT: readonly string[] = ['Metadata', 'Object', 'None', ''];

/** Returns the table that `kubectl get` prints: a row of cells for each object. */
export function tableOf(
  context: RequestContext,
  version: 'v1' | 'v1beta1',
  objects: readonly KubernetesObject[],
  metadata: JsonObject,
): JsonObject {
  const printer = printerOf(context);
  const include = includeObject(context.query);
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: columnDefinitions(context, printer),
    rows: objects.map((object) => row(context, printer, include, version, object)),
  };
}

/** Throws 400 for an unknown value. */
export function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (!INCLUDE_OBJECT.includes(value)) {
    throw badRequestError(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  return value === '' ? 'Metadata' : (value as IncludeObject);
}

export function columnDefinitions({ resource }: Pick<RequestContext, 'resource'>, printer: Printer): JsonValue {
  const descriptionOf = columnDescriptions(resource.type);
  return printer.columns.map(({ name, type, format = '', priority = 0, description = descriptionOf(name) }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

export function row(
  context: RequestContext,
  printer: Printer,
  include: IncludeObject,
  version: 'v1' | 'v1beta1',
  object: KubernetesObject,
): JsonObject {
  const cells = printer.row(object, { nowMs: context.clock.now() }) as JsonValue[];
  const conditions = printer.conditions?.(object).map((condition) => ({ ...condition })) ?? [];
  const base: JsonObject = { cells, ...(conditions.length > 0 && { conditions }) };
  if (include === 'None') return { ...base, object: null };
  const shown = include === 'Object' ? asJson(object) : partialMetadata(object, version, context.resource.rules);
  return { ...base, object: shown };
}

export function printerOf(context: RequestContext): Printer {
  return context.resource.rules.printer ?? nameAndCreation;
}

/** Returns only the metadata of an object (`as=PartialObjectMetadata`). */
export function partialMetadata(
  { metadata }: KubernetesObject,
  version: 'v1' | 'v1beta1',
  { fieldAnnotations }: Pick<ResourceRules, 'fieldAnnotations'> = {},
): JsonObject {
  const shown = fieldAnnotations === undefined ? metadata : withoutFields(metadata, fieldAnnotations);
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: asJson(shown),
  };
}

function withoutFields({ annotations = {}, ...metadata }: ObjectMeta, names: readonly string[]): ObjectMeta {
  const kept = Object.entries(annotations).filter(([name]) => !names.includes(name));
  return kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
}
