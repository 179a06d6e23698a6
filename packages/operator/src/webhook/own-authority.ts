import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';

/** X.509 allows common names no more. */
const MAX_NAME = 64;

/**
 * An authority for nothing but the certificates of one operator. Two of them are trusted side by side for a while: the time
 * in their names tells them apart.
 */
export async function createOwnAuthority(name: string, days: number, nowMs: number): Promise<KeyPair> {
  const time = `@${nowMs}`;
  return await createAuthority(`${name.slice(0, MAX_NAME - time.length)}${time}`, days, nowMs);
}

/** A certificate for a server that is reached by these names and addresses. */
export async function issueForHosts(
  authority: KeyPair,
  hosts: readonly string[],
  days: number,
  nowMs: number,
): Promise<KeyPair> {
  const commonName = (hosts[0] ?? '').slice(0, MAX_NAME);
  return await issueCertificate(authority, { commonName, hosts, usage: 'server', days }, nowMs);
}
