import { decodeObject } from '@pintle/apiserver/storage';
import type { JsonObject } from '@pintle/machinery/json';
import { asJson, getPath } from '@pintle/machinery/json';
import type { StoreLayout, StoreRecord } from '@pintle/store';
import type { ValueEncryption } from './encryption/value-encryption.ts';
import { type DecodedRecord, decodeBuiltin, decodeCustom, encodeBuiltin, encodeCustom } from './object-values.ts';
import { collectionOf, keyOf, pathOf, refusalOf } from './storage-paths.ts';
import { storedKinds } from './stored-kinds.ts';

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
/** Custom resources that were written and not read back yet; each is a few KiB. */
const MAX_WRITTEN = 1_000;

export interface KubernetesLayoutOptions {
  /** Prefix of all paths, which ends in `/`. */
  readonly prefix: string;
  readonly encryption: ValueEncryption;
}

/**
 * Objects in etcd as Kubernetes stores them, so that kube-apiserver can read and write the same ones: its paths, built-in kinds in
 * protobuf, custom resources in JSON, encrypted as an EncryptionConfiguration says.
 */
export class KubernetesLayout implements StoreLayout {
  readonly #options: KubernetesLayoutOptions;
  readonly #kinds = new Map<string, { readonly definition: StoreRecord; readonly kind: string }>();
  /** Records of custom resources as they were written, by their stored form: that does not tell the schema. */
  readonly #written = new Map<string, { readonly stored: Uint8Array; readonly record: Uint8Array }>();
  /** Records whose stored form is not the one that would be written now. */
  readonly #outdated = new WeakSet<Uint8Array>();
  #find: (key: string) => StoreRecord | undefined = () => undefined;

  constructor(options: KubernetesLayoutOptions) {
    this.#options = options;
  }

  /** Kinds of custom resources are looked up in their definitions. */
  useRecords(find: (key: string) => StoreRecord | undefined): void {
    this.#find = find;
  }

  pathOf(key: string): string {
    return pathOf(key);
  }

  keyOf(path: string): string | undefined {
    return keyOf(path);
  }

  refusalOf(path: string): string | undefined {
    return refusalOf(path);
  }

  seal(key: string, record: Uint8Array): Uint8Array {
    const name = collectionOf(key);
    if (name === undefined) return record;
    const stored = this.#encode(key, name, record);
    const { encryption, prefix } = this.#options;
    return encryption.encrypt(name, `${prefix}${pathOf(key)}`, stored);
  }

  open(key: string, sealed: Uint8Array): Uint8Array {
    const name = collectionOf(key);
    if (name === undefined) return sealed;
    const { encryption, prefix } = this.#options;
    const { value, isOutdated } = encryption.decrypt(name, `${prefix}${pathOf(key)}`, sealed);
    const builtin = storedKinds.get(name);
    const decoded = builtin === undefined ? this.#decodeCustom(key, value) : decodeBuiltin(builtin, value);
    if (isOutdated || decoded.isOutdated) this.#outdated.add(decoded.record);
    return decoded.record;
  }

  isOutdated(record: Uint8Array): boolean {
    return this.#outdated.has(record);
  }

  #encode(key: string, name: string, record: Uint8Array): Uint8Array {
    const builtin = storedKinds.get(name);
    if (builtin !== undefined) return encodeBuiltin(builtin, record);
    const stored = encodeCustom(this.#kindOf(name), record);
    this.#remember(key, stored, record);
    return stored;
  }

  /** The server itself looks whether a custom resource has another version than the one that is written. */
  #decodeCustom(key: string, stored: Uint8Array): DecodedRecord {
    const written = this.#written.get(key);
    if (written === undefined || Buffer.compare(written.stored, stored) !== 0)
      return { record: decodeCustom(stored), isOutdated: false };
    this.#written.delete(key);
    return { record: written.record, isOutdated: false };
  }

  #remember(key: string, stored: Uint8Array, record: Uint8Array): void {
    this.#written.delete(key);
    if (this.#written.size >= MAX_WRITTEN) this.#written.delete(this.#written.keys().next().value!);
    this.#written.set(key, { stored, record });
  }

  /** Returns the kind in the definition of a custom resource, which is read once for each version of the definition. */
  #kindOf(name: string): string {
    const [group = '', resource = ''] = name.split('/', 2);
    const definition = this.#find(`${DEFINITIONS}/${resource}.${group}`);
    if (definition === undefined)
      throw new Error(`Cannot store ${name}: there is no definition of it, which names its kind`);
    const known = this.#kinds.get(name);
    if (known !== undefined && known.definition.modRevision === definition.modRevision) return known.kind;
    const kind = kindIn(asJson(decodeObject(definition, 'CustomResourceDefinition')));
    this.#kinds.set(name, { definition, kind });
    return kind;
  }
}

function kindIn(definition: JsonObject): string {
  const accepted = getPath(definition, 'status', 'acceptedNames', 'kind');
  const kind = accepted === undefined || accepted === '' ? getPath(definition, 'spec', 'names', 'kind') : accepted;
  return typeof kind === 'string' ? kind : '';
}
