import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '@pintle/machinery';
import { isJsonObject } from '@pintle/machinery/json';
import { parseYamlDocuments } from '@pintle/machinery/yaml';

/** The objects in a file, or in the files of a folder, by name: YAML or JSON. Lists are taken apart. */
export async function readManifests(path: string): Promise<KubernetesObject[]> {
  const isFolder = (await stat(path)).isDirectory();
  const names = isFolder ? (await readdir(path)).filter((name) => /\.(?:ya?ml|json)$/.test(name)).sort() : [];
  const files = isFolder ? names.map((name) => join(path, name)) : [path];
  const all = await Promise.all(files.map(readObjects));
  return all.flat();
}

async function readObjects(file: string): Promise<KubernetesObject[]> {
  const documents = parseYamlDocuments(await readFile(file));
  return documents.flatMap((document) => {
    if (!isJsonObject(document)) throw new TypeError(`Cannot read ${file}: it has something that is no object`);
    return Array.isArray(document.items) ? document.items : [document];
  }) as unknown as KubernetesObject[];
}
