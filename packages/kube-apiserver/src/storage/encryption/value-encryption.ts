import { aesCbc, aesGcm, loadSecretbox, type ValueCipher } from './ciphers.ts';
import type { CipherName, EncryptedResources, EncryptionProvider } from './encryption-config.ts';

const ENCRYPTED = Buffer.from('k8s:enc:');

/** A decrypted value. `isOutdated`: it would be encrypted otherwise now. */
export interface Decrypted {
  readonly value: Uint8Array;
  readonly isOutdated: boolean;
}

/** One key of a provider with the prefix of its values, or values without a prefix. */
interface Transformer {
  readonly prefix: Buffer;
  readonly cipher?: ValueCipher;
}

type Ciphers = Readonly<Record<CipherName, (key: Uint8Array) => ValueCipher>>;

const IDENTITY: readonly Transformer[] = [{ prefix: Buffer.alloc(0) }];

/** Encrypts values as an EncryptionConfiguration says, with Kubernetes' prefixes. */
export class ValueEncryption {
  /** In the order of the configuration, by `resource.group`; `*` stands for all. */
  readonly #byResource = new Map<string, Transformer[]>();

  /** Without a configuration nothing is encrypted, and what is encrypted cannot be read. */
  static async create(config: readonly EncryptedResources[] = []): Promise<ValueEncryption> {
    const isBoxed = config.some(({ providers }) => providers.some(({ type }) => type === 'secretbox'));
    const secretbox = isBoxed ? await loadSecretbox() : unloaded;
    return new ValueEncryption(config, { aesgcm: aesGcm, aescbc: aesCbc, secretbox });
  }

  private constructor(config: readonly EncryptedResources[], ciphers: Ciphers) {
    for (const { resources, providers } of config) {
      const transformers = providers.flatMap((provider) => transformersOf(provider, ciphers));
      for (const { group, resource } of resources) {
        const name = `${resource}.${group}`;
        this.#byResource.set(name, [...(this.#byResource.get(name) ?? []), ...transformers]);
      }
    }
  }

  /** True when values of a collection are written encrypted. */
  isEncrypted(collection: string): boolean {
    return this.#transformersOf(collection)[0]!.cipher !== undefined;
  }

  /** Encrypts a value of a collection (`group/resource`) for the path that it is stored at. */
  encrypt(collection: string, path: string, value: Uint8Array): Uint8Array {
    const [{ prefix, cipher }] = this.#transformersOf(collection) as [Transformer];
    return cipher === undefined ? value : Buffer.concat([prefix, cipher.encrypt(value, Buffer.from(path))]);
  }

  /** Throws, with the reason, when no key reads the value. */
  decrypt(collection: string, path: string, stored: Uint8Array): Decrypted {
    const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
    const isEncrypted = startsWith(bytes, ENCRYPTED);
    let hasKey = false;
    for (const [index, { prefix, cipher }] of this.#transformersOf(collection).entries()) {
      if (cipher === undefined) {
        if (!isEncrypted) return { value: stored, isOutdated: index > 0 };
      } else if (startsWith(bytes, prefix)) {
        hasKey = true;
        try {
          return { value: cipher.decrypt(bytes.subarray(prefix.length), Buffer.from(path)), isOutdated: index > 0 };
        } catch {
          // A provider may be given twice, with other keys of the same name.
        }
      }
    }
    throw new Error(problemOf(isEncrypted, hasKey));
  }

  /** Returns those of the resource, or of its group, or of all. */
  #transformersOf(collection: string): readonly Transformer[] {
    const slash = collection.indexOf('/');
    const [group, resource] = [collection.slice(0, slash), collection.slice(slash + 1)];
    const groupName = group === 'core' ? '' : group;
    const found =
      this.#byResource.get(`${resource}.${groupName}`) ??
      this.#byResource.get(`*.${groupName}`) ??
      this.#byResource.get('*.*');
    return found ?? IDENTITY;
  }
}

function transformersOf(provider: EncryptionProvider, ciphers: Ciphers): readonly Transformer[] {
  if (provider.type === 'identity') return IDENTITY;
  const { type, keys } = provider;
  return keys.map(({ name, secret }) => ({
    prefix: Buffer.from(`k8s:enc:${type}:v1:${name}:`),
    cipher: ciphers[type](secret),
  }));
}

function unloaded(): ValueCipher {
  throw new TypeError('Cannot use secretbox: it is not loaded');
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

function problemOf(isEncrypted: boolean, hasKey: boolean): string {
  if (!isEncrypted) return 'it is not encrypted, and the encryption configuration has no identity provider for it';
  if (hasKey) return 'it is encrypted with another key of the same name, or for another path';
  return 'it is encrypted with a key that the encryption configuration does not have';
}
