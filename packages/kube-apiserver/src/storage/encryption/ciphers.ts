import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts values with one key. */
export interface ValueCipher {
  /** `context` is authenticated with the value where the cipher can. */
  encrypt(value: Uint8Array, context: Uint8Array): Uint8Array;
  /** Throws when the value was encrypted otherwise. */
  decrypt(value: Uint8Array, context: Uint8Array): Uint8Array;
}

const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
const CBC_BLOCK_BYTES = 16;
const SECRETBOX_NONCE_BYTES = 24;

/** Kubernetes' `aesgcm`: nonce, ciphertext, tag. */
export function aesGcm(key: Uint8Array): ValueCipher {
  const name = `aes-${key.length * 8}-gcm` as 'aes-256-gcm';
  const settings = { authTagLength: GCM_TAG_BYTES };
  return {
    encrypt: (value, context) => {
      const nonce = randomBytes(GCM_NONCE_BYTES);
      const cipher = createCipheriv(name, key, nonce, settings).setAAD(context);
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt: (value, context) => {
      refuseShort(value, GCM_NONCE_BYTES + GCM_TAG_BYTES);
      const decipher = createDecipheriv(name, key, value.subarray(0, GCM_NONCE_BYTES), settings).setAAD(context);
      decipher.setAuthTag(value.subarray(-GCM_TAG_BYTES));
      return Buffer.concat([decipher.update(value.subarray(GCM_NONCE_BYTES, -GCM_TAG_BYTES)), decipher.final()]);
    },
  };
}

/** Kubernetes' `aescbc`: initialization vector, ciphertext with padding. It authenticates nothing. */
export function aesCbc(key: Uint8Array): ValueCipher {
  const name = `aes-${key.length * 8}-cbc`;
  return {
    encrypt: (value) => {
      const vector = randomBytes(CBC_BLOCK_BYTES);
      const cipher = createCipheriv(name, key, vector);
      return Buffer.concat([vector, cipher.update(value), cipher.final()]);
    },
    decrypt: (value) => {
      refuseShort(value, 2 * CBC_BLOCK_BYTES);
      const decipher = createDecipheriv(name, key, value.subarray(0, CBC_BLOCK_BYTES));
      return Buffer.concat([decipher.update(value.subarray(CBC_BLOCK_BYTES)), decipher.final()]);
    },
  };
}

/** Kubernetes' `secretbox`: nonce, tag, ciphertext of XSalsa20-Poly1305. */
export async function loadSecretbox(): Promise<(key: Uint8Array) => ValueCipher> {
  const { xsalsa20poly1305 } = await import('@noble/ciphers/salsa.js');
  return (key) => ({
    encrypt: (value) => {
      const nonce = randomBytes(SECRETBOX_NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)]);
    },
    decrypt: (value) => {
      refuseShort(value, SECRETBOX_NONCE_BYTES);
      const nonce = value.subarray(0, SECRETBOX_NONCE_BYTES);
      return xsalsa20poly1305(key, nonce).decrypt(value.subarray(SECRETBOX_NONCE_BYTES));
    },
  });
}

function refuseShort(value: Uint8Array, bytes: number): void {
  if (value.length < bytes) throw new Error('it is truncated');
}
