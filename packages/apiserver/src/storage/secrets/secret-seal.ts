import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { BoundedCache } from '@pintle/async';
import type { ValueSeal } from '@pintle/store';
import { collectionPrefix } from '../keys.ts';
import type { SecretKeys } from './secret-keys.ts';
import { KEY_ID_BYTES } from './secret-keys.ts';

/**
 * Format of an encrypted value, with AES-256-GCM:
 *
 *     02                 format; unencrypted objects begin with 01
 *     8 bytes            id of the key
 *     16 bytes           salt: the key of a run of the server is derived from the key and this
 *     12 bytes           nonce: a counter within the run
 *     …                  the value, encrypted
 *     16 bytes           tag, over the value, all of the above and the storage key
 *
 * A nonce is never used twice with the same derived key, however many writes there are: no two runs share a salt, and
 * within a run the counter only grows. A value that was moved to another storage key cannot be decrypted.
 */
const FORMAT = 2;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_AT = 1;
const SALT_AT = ID_AT + KEY_ID_BYTES;
const NONCE_AT = SALT_AT + SALT_BYTES;
const HEAD_BYTES = NONCE_AT + NONCE_BYTES;
const CIPHER = 'aes-256-gcm';
const PURPOSE = 'pintle secrets at rest';
/** Derived keys in memory: every run of the server leaves values with its own salt, until they are written again. */
const MAX_DERIVED = 1_000;

export const SECRETS_PREFIX = collectionPrefix({ group: '', resource: 'secrets' }, '');
/** Key of a known value: decrypting it shows whether the keys fit. */
export const KEY_CHECK = '_pintle/secrets/key-check';

/** Encrypts Secrets before they are stored. Reads older, unencrypted values as they are. */
export class SecretSeal implements ValueSeal {
  readonly #keys: SecretKeys;
  readonly #salt = randomBytes(SALT_BYTES);
  readonly #derived = new BoundedCache<Uint8Array>(MAX_DERIVED);
  #count = 0;

  constructor(keys: SecretKeys) {
    this.#keys = keys;
  }

  seal(key: string, value: Uint8Array): Uint8Array {
    if (!isSecret(key)) return value;
    const head = this.#nextHead();
    const cipher = createCipheriv(CIPHER, this.#derive(this.#keys[0].id, this.#salt), head.subarray(NONCE_AT), {
      authTagLength: TAG_BYTES,
    });
    cipher.setAAD(Buffer.concat([head, Buffer.from(key)]));
    return Buffer.concat([head, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
  }

  open(key: string, kept: Uint8Array): Uint8Array {
    if (!isSecret(key) || kept[0] !== FORMAT) return kept;
    if (kept.length < HEAD_BYTES + TAG_BYTES) throw new Error('it is encrypted and truncated');
    const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.length);
    const head = bytes.subarray(0, HEAD_BYTES);
    const derived = this.#derive(head.toString('hex', ID_AT, SALT_AT), head.subarray(SALT_AT, NONCE_AT));
    const decipher = createDecipheriv(CIPHER, derived, head.subarray(NONCE_AT), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([head, Buffer.from(key)]));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new Error('it is encrypted with another key or for another storage key');
    }
  }

  #nextHead(): Buffer {
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = FORMAT;
    head.write(this.#keys[0].id, ID_AT, 'hex');
    head.set(this.#salt, SALT_AT);
    head.writeUIntBE(this.#count++, HEAD_BYTES - 6, 6);
    return head;
  }

  #derive(id: string, salt: Uint8Array): Uint8Array {
    const name = `${id}${Buffer.from(salt).toString('hex')}`;
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (key === undefined) {
      const ids = this.#keys.map((candidate) => candidate.id).join(', ');
      throw new Error(`it is encrypted with the key ${id}, but only ${ids} is available`);
    }
    const derived = new Uint8Array(hkdfSync('sha256', key.secret, salt, PURPOSE, 32));
    this.#derived.set(name, derived);
    return derived;
  }
}

function isSecret(key: string): boolean {
  return key.startsWith(SECRETS_PREFIX) || key === KEY_CHECK;
}
