import { join } from 'node:path';
import type { ResourceDescriptions, SchemaDescriptions } from '@pintle/operator';
import { type SourceModule, SourceModules } from '../sources/source-module.ts';
import type { Node } from '../sources/syntax-tree.ts';
import { type Expression, Expressions, propertyName } from './expressions.ts';
import { declarationComment, SchemaComments } from './schema-comments.ts';

/** Stands for a version that is only known at run time. */
const ANY_VERSION = '*';

/** Facts about the resources of a project, from its sources. */
export interface SourceResources {
  readonly descriptions: readonly ResourceDescriptions[];
  /** Stored versions of resources with several, by kind and group: `Fruit.food.example.com`. */
  readonly storedVersions: Readonly<Record<string, string>>;
}

/**
 * Reads the resources that are passed to `defineResource`, in any module of the project: descriptions of fields, from the JSDoc
 * comments of properties in their schemas, and stored versions. `paths` are the entry modules.
 */
export function resourcesInSources(directory: string, paths: readonly string[]): SourceResources {
  const modules = new SourceModules(directory);
  const reader = new ResourceReader(new Expressions(modules));
  const found = modules
    .loadedWith(paths.map((path) => join(directory, path)))
    .flatMap((module) => reader.resourcesIn(module));
  return {
    descriptions: found
      .map(({ descriptions }) => descriptions)
      .filter(({ versions }) => Object.values(versions).some((each) => Object.keys(each).length > 0)),
    storedVersions: Object.fromEntries(
      found.flatMap(({ descriptions: { kind, group }, storage }) =>
        storage === undefined ? [] : [[group === undefined ? kind : `${kind}.${group}`, storage] as const],
      ),
    ),
  };
}

interface FoundResource {
  readonly descriptions: ResourceDescriptions;
  readonly storage: string | undefined;
}

class ResourceReader {
  readonly #expressions: Expressions;
  readonly #comments: SchemaComments;

  constructor(expressions: Expressions) {
    this.#expressions = expressions;
    this.#comments = new SchemaComments(expressions);
  }

  resourcesIn(module: SourceModule): FoundResource[] {
    return module.nodes.flatMap((node) => {
      const scope = module.scopeOf(node);
      const found = this.#isDefinition({ node, scope }) ? this.#resource({ node, scope }) : undefined;
      return found === undefined ? [] : [found];
    });
  }

  #isDefinition({ node, scope }: Expression): boolean {
    if (node.type !== 'CallExpression') return false;
    const called = this.#expressions.resolve(node.callee as Node, scope);
    return called !== undefined && 'from' in called && called.name === 'defineResource';
  }

  #resource({ node, scope }: Expression): FoundResource | undefined {
    const [argument] = node.arguments as Node[];
    const options = argument && this.#resolved({ node: argument, scope });
    const kind = options && this.#text(options, 'kind');
    if (options === undefined || kind === undefined) return undefined;
    const group = this.#text(options, 'group');
    const description = declarationComment({ node, scope });
    const descriptions = {
      ...(group !== undefined && { group }),
      kind,
      versions: this.#versions(options, description),
    };
    return { descriptions, storage: this.#text(options, 'storage') };
  }

  #versions(options: Expression, description: string | undefined): Record<string, SchemaDescriptions> {
    const many = this.#expressions.property(options, 'versions');
    if (many === undefined)
      return { [this.#text(options, 'version') ?? ANY_VERSION]: this.#version(options, description) };
    const versions = this.#valueOf(many);
    const members = versions === undefined ? [] : this.#expressions.members(versions).toReversed();
    return Object.fromEntries(
      members.flatMap((member) => {
        const name = propertyName(member.node);
        const value = this.#valueOf(member);
        return name === undefined || value === undefined ? [] : [[name, this.#version(value, description)]];
      }),
    );
  }

  #version(options: Expression, description: string | undefined): SchemaDescriptions {
    const parts = ['spec', 'status'].flatMap((name) => {
      const property = this.#expressions.property(options, name);
      const found = property && this.#comments.ofProperty(property);
      return found === undefined || Object.keys(found).length === 0 ? [] : [[name, found] as const];
    });
    return {
      ...(description !== undefined && { description }),
      ...(parts.length > 0 && { properties: Object.fromEntries(parts) }),
    };
  }

  #text(options: Expression, name: string): string | undefined {
    const property = this.#expressions.property(options, name);
    return property && this.#expressions.text({ node: property.node.value as Node, scope: property.scope });
  }

  #valueOf({ node, scope }: Expression): Expression | undefined {
    return node.value ? this.#resolved({ node: node.value as Node, scope }) : undefined;
  }

  #resolved({ node, scope }: Expression): Expression | undefined {
    const found = this.#expressions.resolve(node, scope);
    return found !== undefined && 'node' in found ? found : undefined;
  }
}
