import { webcrypto } from 'node:crypto';

type X509 = typeof import('@peculiar/x509');

export const SIGNING_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** Backdates certificates, for peers whose clock is behind. */
const SKEW_MS = 5 * 60 * 1000;

/** Loads the library when certificates are created: it takes 160 ms. */
export async function loadX509(): Promise<X509> {
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}

export interface Validity {
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export function validUntil(notAfter: Date, nowMs: number): Validity {
  const serial = webcrypto.getRandomValues(new Uint8Array(16));
  serial[0]! &= 0x7f;
  return {
    serialNumber: Buffer.from(serial).toString('hex'),
    notBefore: new Date(nowMs - SKEW_MS),
    notAfter,
  };
}

export async function importKey(
  { PemConverter }: Pick<X509, 'PemConverter'>,
  pem: string,
): Promise<webcrypto.CryptoKey> {
  const der = PemConverter.decodeFirst(pem);
  return await webcrypto.subtle.importKey('pkcs8', der, SIGNING_ALGORITHM, false, ['sign']);
}
