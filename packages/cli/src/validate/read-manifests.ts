import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { asKubernetesObject, type KubernetesObject } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import { parseYamlDocuments } from '@pintle/machinery/yaml';

/** An object of a file, or the reason why it cannot be read. */
export type Written =
  | { readonly file: string; readonly object: KubernetesObject }
  | { readonly file: string; readonly problem: string };

/**
 * Reads all objects of a file, of all files below a folder, or of standard input (`-`). Splits lists into their items. Skips
 * Helm charts below a folder, and Kustomizations.
 */
export function readManifests(path: string): Written[] {
  if (path !== '-' && statSync(path).isDirectory()) {
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    const charts = names.filter((name) => basename(name) === 'Chart.yaml').map(dirname);
    const isOfChart = (name: string): boolean => charts.some((chart) => chart === '.' || name.startsWith(chart + sep));
    const files = names.filter((name) => /\.(?:ya?ml|json)$/.test(name) && !isOfChart(name)).sort();
    return files.flatMap((name) => readManifests(join(path, name)));
  }
  const text = readFileSync(path === '-' ? 0 : path, 'utf8');
  try {
    return parseYamlDocuments(text).flatMap((document) => objectsIn(path, document));
  } catch (error) {
    return [{ file: path, problem: (error as Error).message }];
  }
}

function objectsIn(file: string, document: JsonValue): Written[] {
  // An empty document is no error.
  if (document === null) return [];
  if (!isJsonObject(document)) return [{ file, problem: 'a document is not an object' }];
  const { apiVersion, kind, items } = document;
  if (typeof apiVersion !== 'string' || apiVersion === '') return [{ file, problem: 'an object has no apiVersion' }];
  if (typeof kind !== 'string' || kind === '') return [{ file, problem: 'an object has no kind' }];
  if (apiVersion.startsWith('kustomize.config.k8s.io/')) return [];
  if (kind.endsWith('List') && Array.isArray(items))
    return items.flatMap((item) => objectsIn(file, isJsonObject(item) ? typed(item, apiVersion, kind) : item));
  const object = asKubernetesObject(document);
  return [object === undefined ? { file, problem: `a ${kind} has no metadata` } : { file, object }];
}

/** Sets the kind and apiVersion of an item from its list, which items may omit. */
function typed<T extends object>(item: T, apiVersion: string, kind: string): T {
  return kind === 'List' ? item : { apiVersion, kind: kind.slice(0, -'List'.length), ...item };
}
