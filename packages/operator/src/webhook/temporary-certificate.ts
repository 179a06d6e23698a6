import type { Clock } from '@pintle/async';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { createAuthority, isAging, issueCertificate, readCertificates } from './pki.ts';

const CHECK_EVERY_MS = 60 * 60 * 1000;
const DAYS = 30;

/** A certificate for as long as this process runs: nothing of it is stored anywhere. */
export class TemporaryCertificate implements CertificateSource {
  readonly checkEveryMs = CHECK_EVERY_MS;
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  #kept: ServingCertificate | undefined;

  constructor({ clock, hosts }: { readonly clock: Clock; readonly hosts: readonly string[] }) {
    this.#clock = clock;
    this.#hosts = hosts;
  }

  async load({ publish }: { readonly publish: (authorities: string) => Promise<void> }): Promise<ServingCertificate> {
    const nowMs = this.#clock.now();
    const [certificate] = readCertificates(this.#kept?.certificate ?? '');
    if (this.#kept !== undefined && certificate !== undefined && !isAging(certificate, nowMs)) return this.#kept;
    const authority = await createAuthority('temporary-webhooks', DAYS, nowMs);
    const issued = await issueCertificate(authority, this.#hosts, DAYS, nowMs);
    // Both are trusted until the new one is shown.
    if (this.#kept !== undefined) await publish(`${authority.certificate}${this.#kept.authorities ?? ''}`);
    this.#kept = { ...issued, authorities: authority.certificate };
    return this.#kept;
  }
}
