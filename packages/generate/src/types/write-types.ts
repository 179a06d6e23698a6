import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { type FileChange, GenerateError } from '../errors.ts';
import { Changes, finish } from '../project/changes.ts';
import { kebab } from '../project/names.ts';
import { interfaceModule } from './interface-module.ts';
import { readDefinitions } from './read-definitions.ts';
import { resourceModule } from './resource-module.ts';

export interface GenerateTypesOptions {
  /** Folder to write to, relative to the working directory. Each group gets a folder in it. */
  readonly out: string;
  /** Writes plain interfaces with JSDoc tags instead of Zod schemas. */
  readonly interfaces?: boolean;
  /** Writes nothing; throws Stale when files are out of date. */
  readonly check?: boolean;
}

/** Writes a module for each CRD: descriptor, types, Zod schemas. */
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

/** Reads the only resource of a file, for a project. */
export function resourceFrom(path: string, kind?: string): ResourceSource {
  const all = readDefinitions(path);
  const definitions = kind === undefined ? all : all.filter(({ spec }) => spec.names.kind === kind);
  const [definition] = definitions;
  if (definition === undefined || definitions.length > 1) {
    const found = all.map(({ spec }) => spec.names.kind).join(', ') || 'none';
    const detail = `expected one CRD${kind === undefined ? '' : ` of ${kind}`}, found ${found}`;
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
  /** The stored version. */
  readonly version: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly module: string;
}
