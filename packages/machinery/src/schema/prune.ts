import { isJsonObject } from '../json/index.ts';
import type { JsonValue } from '../json/value.ts';
import { PathStack } from './path-stack.ts';
import type { SchemaNode } from './schema-node.ts';

export interface PruneOptions {
  /** The value is a whole object: its apiVersion, kind and metadata stay, whatever the schema specifies. */
  readonly isResourceRoot?: boolean;
}

/**
 * Removes every field that the schema does not specify, in place. Returns the sorted paths of removed fields:
 * `spec.foo`, `spec.containers[0].bar`.
 *
 * An object that preserves unknown fields keeps them, but the fields that it does specify are still pruned inside.
 */
export function prune(value: JsonValue, node: SchemaNode, options: PruneOptions = {}): { readonly unknown: string[] } {
  const pruner = new Pruner();
  pruner.visit(value, node, options.isResourceRoot === true);
  return { unknown: pruner.unknown.sort() };
}

class Pruner {
  readonly unknown: string[] = [];
  readonly #path = new PathStack();

  visit(value: JsonValue, node: SchemaNode | undefined, isResource = node?.isEmbeddedResource === true): void {
    if (Array.isArray(value)) this.#visitItems(value, node);
    else if (isJsonObject(value)) this.#visitFields(value, node, isResource);
  }

  #visitItems(items: JsonValue[], node: SchemaNode | undefined): void {
    if (node?.preservesUnknown) {
      this.#visitPreservedItems(items, node);
      return;
    }
    for (let index = 0; index < items.length; index++) {
      this.#enter(index, items[index]!, node?.items);
    }
  }

  #visitFields(object: { [key: string]: JsonValue }, node: SchemaNode | undefined, isResource: boolean): void {
    const keeps = node?.preservesUnknown === true;
    for (const name of Object.keys(object)) {
      if (isResource && isMetaField(name)) continue;
      const property = node?.properties.get(name);
      if (property !== undefined || node?.allowsOtherNames) this.#enter(name, object[name]!, property ?? node?.values);
      else if (!keeps) this.#remove(object, name);
    }
  }

  /** Nothing is unknown in a preserved list, nor in lists inside it, but an object below may specify fields. */
  #visitPreservedItems(items: JsonValue[], node: SchemaNode): void {
    const { items: itemNode } = node;
    if (itemNode === undefined) return;
    for (let index = 0; index < items.length; index++) {
      this.#enter(index, items[index]!, itemNode.preservesUnknown ? itemNode : preserving(itemNode));
    }
  }

  #enter(step: string | number, value: JsonValue, node: SchemaNode | undefined): void {
    if (typeof value !== 'object' || value === null) return;
    this.#path.push(step);
    this.visit(value, node);
    this.#path.pop();
  }

  #remove(object: { [key: string]: JsonValue }, name: string): void {
    if (this.#path.depth > 0 || !isMetaField(name)) this.unknown.push(this.#path.child(name));
    delete object[name];
  }
}

function isMetaField(name: string): boolean {
  return name === 'metadata' || name === 'apiVersion' || name === 'kind';
}

function preserving(node: SchemaNode): SchemaNode {
  return { ...node, preservesUnknown: true };
}
