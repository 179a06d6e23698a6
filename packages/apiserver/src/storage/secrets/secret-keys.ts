import { randomBytes } from 'node:crypto';

/** A key that encrypts Secrets. */
export interface SecretKey {
  /** Public id of the key, stored beside encrypted values. */
  readonly id: string;
  readonly secret: Uint8Array;
}

/** The first key encrypts, all of them decrypt. Never empty. */
export type SecretKeys = readonly [SecretKey, ...SecretKey[]];

export const KEY_ID_BYTES = 8;
const SECRET_BYTES = 32;
const ABOUT =
  'Keys of encrypted Secrets: the first one encrypts, all of them decrypt. This file and the store together give access to the Secrets; without this file they are lost. Keep a copy apart from the data.';

export function createSecretKey(): SecretKey {
  return { id: randomBytes(KEY_ID_BYTES).toString('hex'), secret: randomBytes(SECRET_BYTES) };
}

/** Returns the text of a key file. */
export function printSecretKeys(keys: SecretKeys): string {
  const printed = keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret).toString('base64') }));
  return `${JSON.stringify({ about: ABOUT, keys: printed }, undefined, 2)}\n`;
}

/** Reads a key file. Errors do not contain keys. */
export function parseSecretKeys(text: string): SecretKeys {
  const [first, ...others] = readKeys(text).map(readKey);
  if (first === undefined) throw new Error('Cannot read keys: the file has no keys');
  if (new Set([first, ...others].map(({ id }) => id)).size <= others.length) {
    throw new Error('Cannot read keys: two have the same id');
  }
  return [first, ...others];
}

function readKeys(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('Cannot read keys: the file is not JSON');
  }
  const { keys } = Object(value) as { readonly keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('Cannot read keys: the file has no list of keys');
  return keys;
}

function readKey(value: unknown, index: number): SecretKey {
  const { id, secret } = Object(value) as { readonly id?: unknown; readonly secret?: unknown };
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) {
    throw new Error(`Cannot read keys: the id of key ${index} is not 16 hexadecimal digits`);
  }
  const bytes = typeof secret === 'string' ? Buffer.from(secret, 'base64') : undefined;
  if (bytes?.length !== SECRET_BYTES)
    throw new Error(`Cannot read keys: key ${id} is not ${SECRET_BYTES} bytes of base64`);
  return { id, secret: bytes };
}
