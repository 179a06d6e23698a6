import { type FieldError, FieldPath, invalid, required } from '../../errors/index.ts';
import type { JsonObject, JsonValue } from '../../json/index.ts';
import { parseGroupVersion } from '../../meta/group-version.ts';
import type { ObjectMeta } from '../../meta/object-meta.ts';
import { pathSegmentName, validateDns1035Label, validateObjectMeta } from '../../names/index.ts';
import { objectMetaReader } from '../object-meta.ts';
import { hasBelow, type SchemaNode } from '../schema-node.ts';
import { TypedReadError } from '../typed/reader.ts';

/** Checks that embedded objects have an apiVersion, a kind and valid metadata. They need no name. */
export function checkEmbedded(
  value: JsonValue,
  node: SchemaNode,
  path: FieldPath | undefined,
  errors: FieldError[],
): void {
  if (typeof value !== 'object' || value === null || !hasEmbedded(node)) return;
  if (Array.isArray(value)) {
    checkItems(value, node, path, errors);
    return;
  }
  if (node.isEmbeddedResource) checkResource(value, path, errors);
  for (const name of Object.keys(value)) {
    const property = node.properties.get(name);
    const field = property ?? node.values;
    if (field !== undefined) checkEmbedded(value[name]!, field, stepInto(path, name, property !== undefined), errors);
  }
}

const hasEmbedded = hasBelow((schema) => schema.embeddedResource === true);

function checkItems(items: JsonValue[], node: SchemaNode, path: FieldPath | undefined, errors: FieldError[]): void {
  if (node.items === undefined) return;
  for (let index = 0; index < items.length; index++) {
    const at = path === undefined ? FieldPath.of(`[${index}]`) : path.index(index);
    checkEmbedded(items[index]!, node.items, at, errors);
  }
}

function checkResource(object: JsonObject, path: FieldPath | undefined, errors: FieldError[]): void {
  for (const name of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(object, name)) errors.push(required(stepInto(path, name, true), ''));
  }
  if (Object.hasOwn(object, 'apiVersion'))
    checkApiVersion(object.apiVersion!, stepInto(path, 'apiVersion', true), errors);
  if (Object.hasOwn(object, 'kind')) checkKind(object.kind!, stepInto(path, 'kind', true), errors);
  if (Object.hasOwn(object, 'metadata')) checkMetadata(object.metadata!, stepInto(path, 'metadata', true), errors);
}

function checkApiVersion(value: JsonValue, path: FieldPath, errors: FieldError[]): void {
  const problem = textProblem(value);
  if (problem !== undefined) errors.push(invalid(path, value, problem));
  else if (parseGroupVersion(String(value)) === undefined) {
    errors.push(invalid(path, value, `unexpected GroupVersion string: ${value}`));
  }
}

function checkKind(value: JsonValue, path: FieldPath, errors: FieldError[]): void {
  const problem = textProblem(value);
  if (problem !== undefined) {
    errors.push(invalid(path, value, problem));
    return;
  }
  const problems = validateDns1035Label(String(value).toLowerCase());
  if (problems.length === 0) return;
  errors.push(invalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`));
}

function textProblem(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return value === '' ? 'must not be empty' : undefined;
}

function checkMetadata(value: JsonValue, path: FieldPath, errors: FieldError[]): void {
  try {
    const metadata = objectMetaReader.read(value).value as unknown as ObjectMeta;
    const named = metadata.name ? metadata : { ...metadata, name: 'fakename' };
    const scope = metadata.namespace ? 'Namespaced' : 'Cluster';
    errors.push(...validateObjectMeta(named, { scope, nameRule: pathSegmentName, path }));
  } catch (error) {
    if (!(error instanceof TypedReadError)) throw error;
    errors.push(invalid(path, value, error.message));
  }
}

function stepInto(path: FieldPath | undefined, name: string, isProperty: boolean): FieldPath {
  if (path === undefined) return FieldPath.of(name);
  return isProperty ? path.child(name) : path.key(name);
}
