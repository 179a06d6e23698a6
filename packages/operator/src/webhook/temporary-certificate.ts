import { readFile, writeFile } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { isJsonObject } from '@pintle/machinery/json';
import { isDueForRenewal, readCertificates } from '@pintle/pki';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { createOwnAuthority, issueForHosts } from './own-authority.ts';

const CHECK_EVERY_MS = 60 * 60 * 1000;
const DAYS = 30;

interface TemporaryCertificateOptions {
  readonly clock: Clock;
  readonly hosts: readonly string[];
  /** File with the certificate and its key for the next process, readable by its owner only. */
  readonly file?: string;
}

/**
 * Certificate for as long as this process runs. It is not stored, unless a file for the next process is given.
 */
export class TemporaryCertificate implements CertificateSource {
  readonly checkEveryMs = CHECK_EVERY_MS;
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  readonly #file: string | undefined;
  #current: ServingCertificate | undefined;

  constructor({ clock, hosts, file }: TemporaryCertificateOptions) {
    this.#clock = clock;
    this.#hosts = hosts;
    this.#file = file;
  }

  async load({ publish }: { readonly publish: (authorities: string) => Promise<void> }): Promise<ServingCertificate> {
    const nowMs = this.#clock.now();
    this.#current ??= await this.#read();
    const [certificate] = readCertificates(this.#current?.certificate ?? '');
    if (this.#current !== undefined && certificate !== undefined && !isDueForRenewal(certificate, nowMs))
      return this.#current;
    const authority = await createOwnAuthority('temporary-webhooks', DAYS, nowMs);
    const issued = await issueForHosts(authority, this.#hosts, DAYS, nowMs);
    // Both are trusted until the new one is served.
    if (this.#current !== undefined) await publish(`${authority.certificate}${this.#current.authorities ?? ''}`);
    this.#current = { ...issued, authorities: authority.certificate };
    if (this.#file !== undefined)
      await writeFile(this.#file, JSON.stringify({ ...this.#current, hosts: this.#hosts }), { mode: 0o600 });
    return this.#current;
  }

  /** Returns the certificate of the previous process, if it is for the same hosts. */
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
      // A new one is issued instead.
      return undefined;
    }
  }
}
