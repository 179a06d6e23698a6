import type { KeyObject } from 'node:crypto';
import { createHash, createPrivateKey, createPublicKey, generateKeyPair, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';

/** A key that signs or verifies tokens. The algorithm is that of the key, never that of a token. */
export interface TokenKey {
  /** SHA-256 of the public key: the same on every server that has it. */
  readonly id: string;
  readonly algorithm: string;
  readonly key: KeyObject;
}

export interface TokenKeys {
  /** Absent on a server that only verifies. */
  readonly signing?: TokenKey;
  /** Public keys, including that of `signing`. */
  readonly verifying: readonly TokenKey[];
}

export interface TokenKeyFiles {
  /** A private key in PEM. */
  readonly signing?: string;
  /** Public keys, private keys or certificates in PEM; a text may hold several. */
  readonly verifying?: readonly string[];
}

const RSA_BITS = 2048;
const MAX_KEYS = 64;
const EC_ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
  ['secp521r1', 'ES512'],
]);

/** Throws RangeError when a key cannot be used. */
export function readTokenKeys({ signing, verifying = [] }: TokenKeyFiles): TokenKeys {
  const own = signing === undefined ? undefined : createPrivateKey(signing);
  const others = verifying.flatMap(splitPem).map(publicKeyOf);
  const all = [...(own === undefined ? [] : [createPublicKey(own)]), ...others].map((key) => tokenKey(key, key));
  const keys = [...new Map(all.map((key) => [key.id, key])).values()];
  if (keys.length === 0 || keys.length > MAX_KEYS) {
    throw new RangeError(`Cannot verify tokens: found ${keys.length} keys`);
  }
  return { ...(own && { signing: tokenKey(own, createPublicKey(own)) }), verifying: keys };
}

/** Returns a new private key in PEM. */
export async function generateTokenKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Returns the public keys as a JSON Web Key Set. */
export function toJwks({ verifying }: TokenKeys): object {
  return {
    keys: verifying.map(({ id, algorithm, key }) => {
      const { kty, ...numbers } = key.export({ format: 'jwk' });
      return { use: 'sig', kty, kid: id, alg: algorithm, ...numbers };
    }),
  };
}

function tokenKey(key: KeyObject, publicKey: KeyObject): TokenKey {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), algorithm: algorithmOf(publicKey), key };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS) return 'RS256';
  const algorithm = EC_ALGORITHMS.get(asymmetricKeyDetails?.namedCurve ?? '');
  if (asymmetricKeyType === 'ec' && algorithm !== undefined) return algorithm;
  throw new RangeError('Cannot use a key for tokens: it is neither RSA of 2048 bits or more nor ECDSA');
}

function splitPem(text: string): string[] {
  const blocks = text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];
  if (blocks.length === 0) throw new RangeError('Cannot read a key for tokens: there is no PEM in it');
  return blocks.filter((block) => !block.startsWith('-----BEGIN EC PARAMETERS'));
}

function publicKeyOf(pem: string): KeyObject {
  return pem.startsWith('-----BEGIN CERTIFICATE-----') ? new X509Certificate(pem).publicKey : createPublicKey(pem);
}
