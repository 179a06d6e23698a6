import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';

/** Longest common name in X.509. */
const MAX_NAME = 64;

/**
 * Creates an authority for the certificates of one operator. Its name has the time, because two of them may be trusted at the
 * same time.
 */
export async function createOwnAuthority(name: string, days: number, nowMs: number): Promise<KeyPair> {
  const time = `@${nowMs}`;
  return await createAuthority(`${name.slice(0, MAX_NAME - time.length)}${time}`, days, nowMs);
}

/** Issues a server certificate for these names and addresses. */
export async function issueForHosts(
  authority: KeyPair,
  hosts: readonly string[],
  days: number,
  nowMs: number,
): Promise<KeyPair> {
  const commonName = (hosts[0] ?? '').slice(0, MAX_NAME);
  return await issueCertificate(authority, { commonName, hosts, usage: 'server', days }, nowMs);
}
