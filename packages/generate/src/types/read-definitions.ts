import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { deepCopy, isJsonObject } from '@pintle/machinery/json';
import { parseYamlDocuments } from '@pintle/machinery/yaml';
import { GenerateError } from '../errors.ts';
import { definitionProblem } from './check-definition.ts';

/**
 * Reads the CRDs of a file, of all YAML and JSON files below a folder, or of a file: URL, sorted by name. Skips other
 * objects.
 */
export function readDefinitions(from: string): CustomResourceDefinition[] {
  const path = from.startsWith('file:') ? fileURLToPath(from) : from;
  return sorted(filesOf(path).flatMap((file) => definitionsIn(file, textOf(file))));
}

/** Reads all CRDs of a cluster, and checks them: the server is not trusted. */
export async function clusterDefinitions(client: Client): Promise<CustomResourceDefinition[]> {
  const { items } = await client.list(CustomResourceDefinition);
  for (const definition of items) {
    const problem = definitionProblem(definition);
    if (problem !== undefined) throw unreadable('the cluster', problem);
  }
  return sorted(items.map(writtenDefinition));
}

/** Returns a CRD without the fields that a server adds. */
export function writtenDefinition(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { name, labels, annotations } = definition.metadata;
  const { [LAST_APPLIED]: _applied, ...kept } = annotations ?? {};
  const { preserveUnknownFields: _preserve, ...spec } = deepCopy(definition.spec);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      ...(name !== undefined && { name }),
      ...(labels && Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(kept).length > 0 && { annotations: kept }),
    },
    spec: { ...spec, versions: spec.versions.map(withoutEmptyLists), names: withoutEmptyLists(spec.names) },
  };
}

/** Removes empty lists, which mean the same as absent ones. */
function withoutEmptyLists<T extends object>(given: T): T {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  ) as T;
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function filesOf(path: string): string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.(?:ya?ml|json)$/.test(name) && !name.includes('node_modules')).sort();
  return files.map((name) => join(path, name));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw unreadable(path, isAbsent ? 'no such file or folder' : (error as Error).message, error);
  }
}

/** Returns the CRDs in a text; `path` is its source. */
export function definitionsIn(path: string, text: string): CustomResourceDefinition[] {
  let documents: readonly JsonValue[];
  try {
    documents = parseYamlDocuments(text);
  } catch (error) {
    throw unreadable(path, (error as Error).message, error);
  }
  return documents.flatMap(listed).flatMap((object) => {
    if (object.kind !== 'CustomResourceDefinition') return [];
    return [writtenDefinition(checked(path, object))];
  });
}

function listed(document: JsonValue): JsonObject[] {
  if (!isJsonObject(document)) return [];
  return document.kind === 'List' && Array.isArray(document.items) ? document.items.flatMap(listed) : [document];
}

function checked(path: string, object: JsonObject): CustomResourceDefinition {
  const name = isJsonObject(object.metadata ?? null) ? String((object.metadata as JsonObject).name) : '';
  if (object.apiVersion !== 'apiextensions.k8s.io/v1')
    throw unreadable(
      path,
      `${name} has version ${String(object.apiVersion)}; only apiextensions.k8s.io/v1 is supported`,
    );
  const definition = object as unknown as CustomResourceDefinition;
  const problem = definitionProblem(definition);
  if (problem !== undefined) throw unreadable(path, problem);
  return definition;
}

function sorted(definitions: readonly CustomResourceDefinition[]): CustomResourceDefinition[] {
  const byName = new Map(definitions.map((definition) => [definition.metadata.name ?? '', definition]));
  return [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition);
}

function unreadable(path: string, detail: string, cause?: unknown): GenerateError {
  return new GenerateError({ code: 'BadSource', path, detail }, { cause });
}
