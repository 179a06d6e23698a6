import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { type FileChange, GenerateError } from '../errors.ts';
import { Changes, finish } from '../project/changes.ts';
import { kebab } from '../project/names.ts';
import { interfaceModule } from './interface-module.ts';
import { readDefinitions } from './read-definitions.ts';
import { resourceModule } from './resource-module.ts';

export interface GenerateTypesOptions {
  /** The folder to write in, from the working directory; a folder for each group is made in it. */
  readonly out: string;
  /** Plain interfaces with JSDoc tags, in the place of Zod schemas. */
  readonly interfaces?: boolean;
  /** Writes nothing; throws Stale when something would be written. */
  readonly check?: boolean;
}

/** Writes a module for each definition: descriptor, types, Zod schemas. */
export function generateTypes(
  directory: string,
  definitions: readonly CustomResourceDefinition[],
  { out, interfaces = false, check = false }: GenerateTypesOptions,
): readonly FileChange[] {
  const changes = new Changes(directory);
  for (const definition of definitions) {
    const { group, names } = definition.spec;
    const text = interfaces ? interfaceModule(definition) : resourceModule(definition);
    changes.put(`${out.replace(/\/+$/, '')}/${group}/${kebab(names.kind)}.ts`, text);
  }
  return finish(changes, check);
}

/** The one resource that a file defines, ready to be taken into a project. */
export function resourceFrom(path: string, kind?: string): ResourceSource {
  const all = readDefinitions(path);
  const definitions = kind === undefined ? all : all.filter(({ spec }) => spec.names.kind === kind);
  const [definition] = definitions;
  if (definition === undefined || definitions.length > 1) {
    const found = all.map(({ spec }) => spec.names.kind).join(', ') || 'none';
    const detail = `one definition is wanted${kind === undefined ? '' : ` of ${kind}`}, it has ${found}`;
    throw new GenerateError({ code: 'BadSource', path, detail });
  }
  const { group, names, scope, versions } = definition.spec;
  const version = (versions.find(({ storage }) => storage) ?? versions[0]!).name;
  return {
    group,
    version,
    kind: names.kind,
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    module: resourceModule(definition),
  };
}

export interface ResourceSource {
  readonly group: string;
  /** The one that is stored. */
  readonly version: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly module: string;
}
