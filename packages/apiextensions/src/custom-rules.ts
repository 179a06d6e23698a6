import { setEntries } from '@pintle/apiserver/registry';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
} from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { formatSortedJson, formatValue, requestEntityTooLargeError } from '@pintle/machinery/errors';
import { asJson, type JsonValue } from '@pintle/machinery/json';
import type { JsonPath } from '@pintle/machinery/jsonpath';
import { Budget, compileJsonPath, JsonPathError } from '@pintle/machinery/jsonpath';
import { validateQualifiedName } from '@pintle/machinery/names';
import type { Cell, Column, Printer, ResourceRules, Steps } from '@pintle/machinery/rules';
import { finish } from '@pintle/machinery/rules';
import type { CompiledSchema } from '@pintle/machinery/schema';
import { compileSchema, DefaultsLimitError, fieldSchema } from '@pintle/machinery/schema';
import { humanDuration, parseTime } from '@pintle/machinery/time';
import { ExpressionRules } from './expression-rules.ts';
import { checkScaleSpec, checkScaleStatus } from './scale-rules.ts';

type CustomObject = KubernetesObject & { status?: JsonValue };

/** Returns the rules of a custom resource, from its definition. */
export function customRules(version: CustomResourceDefinitionVersion, compiled: CompiledSchema): ResourceRules {
  const hasStatus = version.subresources?.status !== undefined;
  const defaultsStatus = compiled.node.defaults.some(([name]) => name === 'status');
  const scale = version.subresources?.scale;
  const expressions = new ExpressionRules(compiled.schema);
  const check = (object: CustomObject, previous?: CustomObject): Steps<readonly FieldError[]> => {
    const value = asJson(object);
    const alsoFound = scale ? [...checkScaleSpec(value, scale), ...checkScaleStatus(value, scale)] : [];
    const errors = compiled.validate(value, { alsoFound, ...(previous && { previous: asJson(previous) }) });
    return expressions.check(object, previous, errors);
  };
  const rules: ResourceRules<CustomObject> = {
    unconditionalUpdate: false,
    tracksGeneration: true,
    generationCovers: (object) => withoutMetadata(object, hasStatus),
    default: (object, growth) => {
      const addedBytes = applyDefaults(compiled, object);
      growth?.weigh(addedBytes);
    },
    prepareForCreate: (object) => {
      if (hasStatus) delete object.status;
      if (hasStatus && defaultsStatus) applyDefaults(compiled, object);
    },
    prepareForUpdate: (next, previous) => {
      if (hasStatus) carryStatus(next, previous);
    },
    validate: (object) => finish(check(object)),
    validateUpdate: (next, previous) => finish(check(next, previous)),
    validateInSteps: check,
    printer: printerOf(version.additionalPrinterColumns),
    ...(hasStatus && { subresources: { status: statusRules(compiled, expressions, scale) } }),
    ...(version.selectableFields && {
      selectableFields: selectorOf(version.selectableFields.map((field) => field.jsonPath)),
    }),
    tolerated: (next) => expressions.toleratedIn(next),
    warnings: finalizerWarnings,
  };
  return rules as ResourceRules;
}

/**
 * Returns the rules of the `status` subresource: only the status changes and is checked, except by CEL rules, which see
 * the whole object.
 */
function statusRules(
  compiled: CompiledSchema,
  expressions: ExpressionRules,
  scale: CustomResourceSubresourceScale | undefined,
): NonNullable<ResourceRules<CustomObject>['subresources']>[string] {
  const check = (next: CustomObject, previous?: CustomObject): Steps<readonly FieldError[]> => {
    const schema = fieldSchema(compiled.schema, 'status');
    const options = previous?.status === undefined ? {} : { previous: previous.status };
    const errors =
      schema === undefined || next.status === undefined
        ? []
        : compileSchema(schema).validate(next.status, { ...options, path: 'status' });
    if (scale !== undefined) errors.push(...checkScaleStatus(asJson(next), scale));
    return expressions.check(next, previous, errors);
  };
  return {
    prepareForUpdate: (next: CustomObject, previous: CustomObject) => {
      const { status } = next;
      const { resourceVersion, managedFields } = next.metadata;
      for (const key of Object.keys(next)) delete asJson(next)[key];
      Object.assign(next, previous, { metadata: { ...previous.metadata } });
      if (resourceVersion !== undefined) next.metadata.resourceVersion = resourceVersion;
      setEntries(next, managedFields ?? []);
      // A null where there was no status is not a change, so it is not checked.
      if (status === undefined || (status === null && (previous.status ?? null) === null)) delete next.status;
      else next.status = status;
    },
    validateUpdate: (next: CustomObject, previous: CustomObject) => finish(check(next, previous)),
    validateInSteps: check,
    tolerated: (next: CustomObject) => expressions.toleratedIn(next),
  };
}

function carryStatus(next: CustomObject, previous: CustomObject): void {
  if (previous.status === undefined) delete next.status;
  else next.status = previous.status;
}

function withoutMetadata(object: CustomObject, hasStatus: boolean): object {
  const { metadata: _metadata, status, ...rest } = object;
  return hasStatus ? rest : { ...rest, status };
}

function applyDefaults(compiled: CompiledSchema, object: KubernetesObject): number {
  try {
    return compiled.default(asJson(object));
  } catch (error) {
    throw error instanceof DefaultsLimitError ? requestEntityTooLargeError(`limit is ${error.maxBytes}`) : error;
  }
}

function selectorOf(paths: readonly string[]): (object: KubernetesObject) => Record<string, string> {
  const compiled = paths.map((path) => ({ label: path.replace(/^\./, ''), path: pathOf(path) }));
  return (object) =>
    Object.fromEntries(compiled.map(({ label, path }) => [label, textOf(path?.first(asJson(object)))]));
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '' : String(value);
}

const AGE: CustomResourceColumnDefinition = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function printerOf(definitions: readonly CustomResourceColumnDefinition[] = [AGE]): Printer {
  const columns = readableColumns(definitions.length === 0 ? [AGE] : definitions);
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name' },
      ...columns.map(({ definition }) => columnOf(definition)),
    ],
    row: (object, { nowMs }) => {
      const budget = new Budget(VISITS_PER_ROW);
      const cells = columns.map(({ definition, path }) => cellOf(definition.type, found(path, object, budget), nowMs));
      return [object.metadata.name ?? '', ...cells];
    },
  };
}

/** Values that all columns of a row may visit: an object has tens of thousands, and most columns need a few. */
const VISITS_PER_ROW = 300_000;

/** Returns `undefined` when a column cannot be evaluated. */
function found(path: JsonPath, object: CustomObject, budget: Budget): JsonValue | undefined {
  try {
    return path.first(asJson(object), budget);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

/** Returns the columns up to the first whose path cannot be parsed. */
function readableColumns(definitions: readonly CustomResourceColumnDefinition[]) {
  const columns: { readonly definition: CustomResourceColumnDefinition; readonly path: JsonPath }[] = [];
  for (const definition of definitions) {
    const path = pathOf(definition.jsonPath);
    if (path === undefined) break;
    columns.push({ definition, path });
  }
  return columns;
}

function pathOf(text: string): JsonPath | undefined {
  try {
    return compileJsonPath(text);
  } catch {
    return undefined;
  }
}

function columnOf(definition: CustomResourceColumnDefinition): Column {
  const { name, type, format, priority, description = '' } = definition;
  return {
    name,
    type: type as Column['type'],
    format: (format ?? '') as NonNullable<Column['format']>,
    priority: priority ?? 0,
    // The default Age column is described by its name; an author's column of that name may show anything.
    ...(definition !== AGE && { description }),
  };
}

function cellOf(type: string, value: JsonValue | undefined, nowMs: number): Cell {
  if (value === null && type === 'string') return '<no value>';
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? wholeNumber(value) : typeof value === 'bigint' ? Number(value) : null;
    case 'number':
      return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, nowMs) : null;
    default:
      return shownText(value);
  }
}

function shownText(value: Exclude<JsonValue, null>): string {
  if (typeof value === 'object') return formatSortedJson(value);
  return typeof value === 'number' ? formatValue(value) : String(value);
}

/** Truncates to an integer of 64 bits; values out of range become the smallest one, as in Go. */
function wholeNumber(value: number): number {
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : -(2 ** 63);
}

/** Returns `<unknown>` for an empty text or `null`. */
function ageOf(time: string, nowMs: number): string {
  if (time === '' || time === 'null') return '<unknown>';
  try {
    return humanDuration(nowMs - parseTime(time));
  } catch {
    return '<invalid>';
  }
}

/** Finalizers without a domain, of the garbage collector and the namespace controller. */
const STANDARD = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Returns warnings about the names of finalizers that were just added. */
function finalizerWarnings(next: KubernetesObject, previous?: KubernetesObject): string[] {
  const before = new Set(previous?.metadata.finalizers);
  const added = [...new Set(next.metadata.finalizers)].filter((finalizer) => !before.has(finalizer)).sort();
  return added.flatMap((finalizer) =>
    problemsOf(finalizer).map((problem) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${problem}`),
  );
}

function problemsOf(finalizer: string): string[] {
  const problems = [...validateQualifiedName(finalizer)];
  if (finalizer.includes('/') || STANDARD.has(finalizer)) return problems;
  const path = finalizer.includes('.') ? ' including a path (/)' : '';
  return [
    ...problems,
    `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
  ];
}
