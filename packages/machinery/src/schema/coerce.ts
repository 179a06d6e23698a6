import { describeFieldError, FieldPath, formatSortedJson, invalid } from '../errors/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts';
import { objectMetaReader } from './object-meta.ts';
import { hasBelow, type SchemaNode } from './schema-node.ts';
import { TypedReadError } from './typed/reader.ts';

/** The result of reading the metadata of an object and of the objects embedded in it. */
export interface Coercion {
  /** The paths of fields that metadata does not have, sorted: `spec.template.metadata.colour`. They were dropped. */
  readonly unknown: string[];
  /** Go's message when the object cannot be read; fields after the problem have not been read. */
  readonly problem?: string;
}

/**
 * Reads apiVersion, kind and metadata of embedded objects in place, as those of a built-in kind are read. With
 * `isResourceRoot` the value itself is such an object too.
 */
export function coerceMetadata(value: JsonValue, node: SchemaNode, isResourceRoot: boolean): Coercion {
  const coercer = new Coercer();
  try {
    coercer.visit(value, node, undefined, isResourceRoot || node.isEmbeddedResource);
    return { unknown: coercer.unknown.sort() };
  } catch (error) {
    if (!(error instanceof TypedReadError)) throw error;
    return { unknown: coercer.unknown.sort(), problem: error.message };
  }
}

const hasEmbeddedBelow = hasBelow((schema) => schema.embeddedResource === true);

class Coercer {
  readonly unknown: string[] = [];

  visit(value: JsonValue, node: SchemaNode, path: FieldPath | undefined, isResource: boolean): void {
    if (isResource && isJsonObject(value)) this.#coerceMeta(value, path);
    if (!hasEmbeddedBelow(node)) return;
    if (Array.isArray(value)) this.#visitItems(value, node, path);
    else if (isJsonObject(value)) this.#visitFields(value, node, path);
  }

  #visitItems(items: JsonValue[], { items: node }: SchemaNode, path: FieldPath | undefined): void {
    if (node === undefined) return;
    for (let index = 0; index < items.length; index++) {
      this.visit(items[index]!, node, path?.index(index), node.isEmbeddedResource);
    }
  }

  #visitFields(object: JsonObject, node: SchemaNode, path: FieldPath | undefined): void {
    for (const name of Object.keys(object)) {
      const property = node.properties.get(name);
      const field = property ?? node.values;
      if (field === undefined) continue;
      this.visit(object[name]!, field, stepInto(path, name, property !== undefined), field.isEmbeddedResource);
    }
  }

  #coerceMeta(object: JsonObject, path: FieldPath | undefined): void {
    for (const name of ['apiVersion', 'kind']) {
      if (!Object.hasOwn(object, name) || typeof object[name] === 'string') continue;
      const error = invalid(stepInto(path, name, true), object[name], 'must be a string');
      throw new TypedReadError(describeFieldError(error));
    }
    if (Object.hasOwn(object, 'metadata')) this.#readMetadata(object, path);
  }

  #readMetadata(object: JsonObject, path: FieldPath | undefined): void {
    const metadata = object.metadata!;
    const at = stepInto(path, 'metadata', true);
    try {
      const { value, unknown } = objectMetaReader.read(metadata);
      object.metadata = value;
      for (const field of unknown) this.unknown.push(`${at}.${field}`);
    } catch (error) {
      // Kubernetes reads the metadata of the root without a path in its message.
      if (!(error instanceof TypedReadError) || path === undefined) throw error;
      throw new TypedReadError(`${at}: Invalid value: ${formatSortedJson(metadata)}: ${error.message}`, {
        cause: error,
      });
    }
  }
}

function stepInto(path: FieldPath | undefined, name: string, isProperty: boolean): FieldPath {
  if (path === undefined) return FieldPath.of(name);
  return isProperty ? path.child(name) : path.key(name);
}
