import { readFile, writeFile } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { isJsonObject } from '@pintle/machinery/json';
import { isAging, readCertificates } from '@pintle/pki';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { createOwnAuthority, issueForHosts } from './own-authority.ts';

const CHECK_EVERY_MS = 60 * 60 * 1000;
const DAYS = 30;

interface TemporaryCertificateOptions {
  readonly clock: Clock;
  readonly hosts: readonly string[];
  /** Where the certificate and its key are kept for the next process, for their owner alone. */
  readonly file?: string;
}

/**
 * A certificate for as long as this process runs: nothing of it is stored anywhere, unless whoever starts one such
 * process after the other names a file for it.
 */
export class TemporaryCertificate implements CertificateSource {
  readonly checkEveryMs = CHECK_EVERY_MS;
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  readonly #file: string | undefined;
  #kept: ServingCertificate | undefined;

  constructor({ clock, hosts, file }: TemporaryCertificateOptions) {
    this.#clock = clock;
    this.#hosts = hosts;
    this.#file = file;
  }

  async load({ publish }: { readonly publish: (authorities: string) => Promise<void> }): Promise<ServingCertificate> {
    const nowMs = this.#clock.now();
    this.#kept ??= await this.#read();
    const [certificate] = readCertificates(this.#kept?.certificate ?? '');
    if (this.#kept !== undefined && certificate !== undefined && !isAging(certificate, nowMs)) return this.#kept;
    const authority = await createOwnAuthority('temporary-webhooks', DAYS, nowMs);
    const issued = await issueForHosts(authority, this.#hosts, DAYS, nowMs);
    // Both are trusted until the new one is shown.
    if (this.#kept !== undefined) await publish(`${authority.certificate}${this.#kept.authorities ?? ''}`);
    this.#kept = { ...issued, authorities: authority.certificate };
    if (this.#file !== undefined)
      await writeFile(this.#file, JSON.stringify({ ...this.#kept, hosts: this.#hosts }), { mode: 0o600 });
    return this.#kept;
  }

  /** Returns what the process before has left, if it is good for the same hosts. */
  async #read(): Promise<ServingCertificate | undefined> {
    if (this.#file === undefined) return undefined;
    try {
      const found: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      if (!isJsonObject(found) || JSON.stringify(found.hosts) !== JSON.stringify(this.#hosts)) return undefined;
      const { certificate, privateKey, authorities } = found;
      const texts = [certificate, privateKey, authorities];
      if (!texts.every((text) => typeof text === 'string')) return undefined;
      return { certificate, privateKey, authorities } as ServingCertificate;
    } catch {
      // Then another is made in its place.
      return undefined;
    }
  }
}
