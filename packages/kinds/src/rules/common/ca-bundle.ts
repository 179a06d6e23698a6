import { X509Certificate } from 'node:crypto';
import type { FieldPath } from '@pintle/machinery/errors';
import { invalid } from '@pintle/machinery/errors';
import type { Check } from './checks.ts';

/** Certificates in PEM, in base64, as webhooks and APIServices carry them. */
export function* checkBundle(caBundle: string | undefined, path: FieldPath): Check {
  const problem = caBundle ? problemOf(caBundle) : undefined;
  if (problem !== undefined) yield invalid(path, caBundle, `unable to load root certificates: ${problem}`);
}

/** True also when there is none. */
export function isReadable(caBundle: string | undefined): boolean {
  return !caBundle || problemOf(caBundle) === undefined;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g;

function problemOf(caBundle: string): string | undefined {
  const blocks = Buffer.from(caBundle, 'base64').toString('latin1').match(BLOCK);
  if (blocks === null) return 'unable to parse bytes as PEM block';
  try {
    for (const block of blocks) new X509Certificate(block);
    return undefined;
  } catch (error) {
    return `failed to parse certificate: ${error instanceof Error ? error.message : String(error)}`;
  }
}
