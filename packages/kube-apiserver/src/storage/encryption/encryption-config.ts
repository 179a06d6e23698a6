import type { GroupResource } from '@pintle/machinery';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import { parseYaml } from '@pintle/machinery/yaml';

export type CipherName = 'aesgcm' | 'aescbc' | 'secretbox';

/** A way to write values, and to read them back. `identity` leaves them as they are. */
export type EncryptionProvider =
  | { readonly type: 'identity' }
  | { readonly type: CipherName; readonly keys: readonly EncryptionKey[] };

export interface EncryptionKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

/** Providers of some resources: the first one writes, all of them read. */
export interface EncryptedResources {
  /** `*` stands for all groups or resources. */
  readonly resources: readonly GroupResource[];
  readonly providers: readonly EncryptionProvider[];
}

const KEY_BYTES: Readonly<Record<CipherName, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};
const API_VERSIONS: readonly string[] = ['apiserver.config.k8s.io/v1', 'v1'];
const KINDS: readonly string[] = ['EncryptionConfiguration', 'EncryptionConfig'];

/** Reads an EncryptionConfiguration in YAML or JSON. Throws with what is wrong, and never with a key. */
export function parseEncryptionConfig(text: string): readonly EncryptedResources[] {
  const config = readDocument(text);
  if (!API_VERSIONS.includes(String(config.apiVersion)) || !KINDS.includes(String(config.kind)))
    throw new Error('it is not an apiserver.config.k8s.io/v1 EncryptionConfiguration');
  const entries = objectsIn(config.resources, 'resources');
  return entries.map((entry, index) => readEntry(entry, `resources[${index}]`));
}

function readDocument(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = parseYaml(text);
  } catch {
    // The message of the parser quotes the text, which holds keys.
    throw new Error('it is neither YAML nor JSON');
  }
  if (!isJsonObject(value)) throw new Error('it is not an object');
  return value;
}

function readEntry(entry: JsonObject, path: string): EncryptedResources {
  const { resources, providers } = entry;
  if (!Array.isArray(resources) || resources.length === 0) throw new Error(`${path}.resources is empty`);
  return {
    resources: resources.map((name, index) => readResource(name, `${path}.resources[${index}]`)),
    providers: objectsIn(providers, `${path}.providers`).map((provider, index) =>
      readProvider(provider, `${path}.providers[${index}]`),
    ),
  };
}

/** Reads `secrets`, `deployments.apps`, `*.apps`, `*.` for the core group, or `*.*`. */
function readResource(name: JsonValue, path: string): GroupResource {
  if (typeof name !== 'string' || name === '' || name === '*' || name !== name.toLowerCase())
    throw new Error(`${path} is not the name of a resource; use *. for the core group and *.* for all`);
  const dot = name.indexOf('.');
  const [resource, group] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
  if (resource === '' || (group === '*' && resource !== '*') || (group.includes('*') && group !== '*'))
    throw new Error(`${path} is not the name of a resource: ${JSON.stringify(name)}`);
  return { group, resource };
}

function readProvider(provider: JsonObject, path: string): EncryptionProvider {
  const names = Object.keys(provider);
  const [type] = names;
  if (type === undefined || names.length > 1) throw new Error(`${path} does not have exactly one provider`);
  if (type === 'identity') return { type };
  if (type === 'aesgcm' || type === 'aescbc' || type === 'secretbox')
    return { type, keys: readKeys(provider[type], KEY_BYTES[type], `${path}.${type}.keys`) };
  const why = type === 'kms' ? 'this server does not use key management services' : 'there is no such provider';
  throw new Error(`${path} is ${JSON.stringify(type)}: ${why}. Use aesgcm, aescbc, secretbox or identity`);
}

function readKeys(settings: JsonValue | undefined, lengths: readonly number[], path: string): EncryptionKey[] {
  const keys = objectsIn(isJsonObject(settings) ? settings.keys : undefined, path).map((key, index) =>
    readKey(key, lengths, `${path}[${index}]`),
  );
  const names = new Set(keys.map(({ name }) => name));
  if (names.size < keys.length) throw new Error(`${path} has two keys of the same name`);
  return keys;
}

function readKey({ name, secret }: JsonObject, lengths: readonly number[], path: string): EncryptionKey {
  if (typeof name !== 'string' || !/^[^:\s]+$/.test(name)) throw new Error(`${path}.name is empty or has a colon`);
  const bytes = typeof secret === 'string' ? Buffer.from(secret, 'base64') : undefined;
  if (bytes === undefined || !lengths.includes(bytes.length))
    throw new Error(`${path}.secret is not ${lengths.join(', ')} bytes of base64`);
  return { name, secret: bytes };
}

function objectsIn(value: JsonValue | undefined, path: string): JsonObject[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isJsonObject))
    throw new Error(`${path} is not a list of objects, or is empty`);
  return value as JsonObject[];
}
