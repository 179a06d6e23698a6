import type { X509Certificate } from 'node:crypto';
import type { Clock } from '@pintle/async';
import type { Client } from '@pintle/client';
import { Secret } from '@pintle/kinds/core/v1';
import { isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { KeyPair } from '@pintle/pki';
import { isDueForRenewal, isExpired, isForHost, isSignedBy, readCertificates } from '@pintle/pki';
import { OperatorError } from '../errors.ts';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { createOwnAuthority, issueForHosts } from './own-authority.ts';

export interface ManagedCertificateOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Secret that replicas share. */
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly hosts: readonly string[];
  /** Default: 90. */
  readonly certificateDays?: number;
  /** Default: 365. */
  readonly authorityDays?: number;
}

/** Contents of the Secret. The first authority signs; the others are still trusted for certificates they signed. */
interface StoredCertificates extends ServingCertificate {
  readonly authorities: string;
  readonly authorityKey: string;
}

/**
 * Next step. Each step is one write to the Secret with its resourceVersion, so any replica may take it, and may crash at any
 * point:
 *
 *     nothing usable ► create           an authority and a certificate
 *     authority ages ► renewAuthority   a new one in front; the certificate stays valid by the old one
 *     certificate ages, is not signed by the first authority, or not for these hosts
 *                    ► renewCertificate only after the API server has all authorities
 *     else           ► use
 */
type Step = 'create' | 'renewAuthority' | 'renewCertificate' | 'use';

const CHECK_EVERY_MS = 60 * 60 * 1000;
const MAX_STEPS = 20;
const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
const MANAGED_BY = 'pintle-webhooks';

/** Certificates signed by an authority of the operator, stored in a Secret and renewed before they expire. */
export class ManagedCertificate implements CertificateSource {
  readonly checkEveryMs = CHECK_EVERY_MS;
  readonly #options: ManagedCertificateOptions;

  constructor(options: ManagedCertificateOptions) {
    this.#options = options;
  }

  async load({
    signal,
    publish,
  }: {
    readonly signal: AbortSignal;
    readonly publish: (authorities: string) => Promise<void>;
  }): Promise<ServingCertificate> {
    const { client, secret: ref } = this.#options;
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const secret = await client.find(Secret, ref, { signal });
      const stored = secret && this.#read(secret);
      const step = this.#nextStep(stored);
      if (step === 'use' && stored !== undefined) return stored;
      if (step === 'renewCertificate' && stored !== undefined) await publish(stored.authorities);
      await this.#write(secret, await this.#perform(step, stored), signal);
    }
    throw new OperatorError({ code: 'NoCertificate', where: `Secret ${ref.namespace}/${ref.name}` });
  }

  #nextStep(stored: StoredCertificates | undefined): Step {
    const nowMs = this.#options.clock.now();
    const [authority] = readCertificates(stored?.authorities ?? '');
    const [certificate] = readCertificates(stored?.certificate ?? '');
    if (stored === undefined || authority === undefined || stored.authorityKey === '' || isExpired(authority, nowMs))
      return 'create';
    if (isDueForRenewal(authority, nowMs)) return 'renewAuthority';
    return certificate !== undefined && this.#isGood(certificate, authority, nowMs) ? 'use' : 'renewCertificate';
  }

  #isGood(certificate: X509Certificate, authority: X509Certificate, nowMs: number): boolean {
    const isForAll = this.#options.hosts.every((host) => isForHost(certificate, host));
    return isForAll && isSignedBy(certificate, authority) && !isDueForRenewal(certificate, nowMs);
  }

  async #perform(step: Step, stored: StoredCertificates | undefined): Promise<StoredCertificates> {
    if (step === 'renewCertificate' && stored !== undefined) {
      const [authority] = readCertificates(stored.authorities);
      const signer = { certificate: authority!.toString(), privateKey: stored.authorityKey };
      return { ...stored, ...(await this.#issue(signer)) };
    }
    const authority = await this.#newAuthority();
    const authorityKey = authority.privateKey;
    if (step === 'renewAuthority' && stored !== undefined) {
      const trusted = readCertificates(stored.authorities).filter((one) => !isExpired(one, this.#options.clock.now()));
      const authorities = [authority.certificate, ...trusted.map((one) => one.toString())].join('');
      return { ...stored, authorities, authorityKey };
    }
    return { authorities: authority.certificate, authorityKey, ...(await this.#issue(authority)) };
  }

  #newAuthority(): Promise<KeyPair> {
    const { secret, clock, authorityDays = 365 } = this.#options;
    return createOwnAuthority(`${secret.name}.${secret.namespace}`, authorityDays, clock.now());
  }

  #issue(authority: KeyPair): Promise<KeyPair> {
    const { hosts, clock, certificateDays = 90 } = this.#options;
    return issueForHosts(authority, hosts, certificateDays, clock.now());
  }

  #read({ metadata, data = {} }: Secret): StoredCertificates {
    if (metadata.labels?.[MANAGED_BY_LABEL] !== MANAGED_BY)
      throw new OperatorError({ code: 'ForeignSecret', secret: `${metadata.namespace}/${metadata.name}` });
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
    return {
      authorities: text('ca.crt'),
      authorityKey: text('ca.key'),
      certificate: text('tls.crt'),
      privateKey: text('tls.key'),
    };
  }

  /** Ignores conflicts with other replicas: the caller reads the Secret again. */
  async #write(before: Secret | undefined, stored: StoredCertificates, signal: AbortSignal): Promise<void> {
    const { client, secret } = this.#options;
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    const data = {
      'ca.crt': encoded(stored.authorities),
      'ca.key': encoded(stored.authorityKey),
      'tls.crt': encoded(stored.certificate),
      'tls.key': encoded(stored.privateKey),
    };
    try {
      if (before === undefined) {
        const metadata = { ...secret, labels: { [MANAGED_BY_LABEL]: MANAGED_BY } };
        await client.create(Secret, { metadata, type: 'Opaque', data }, { signal });
      } else await client.update(Secret, { ...before, data }, { signal });
    } catch (error) {
      const isLate = isAlreadyExists(error) || isConflict(error) || (before !== undefined && isNotFound(error));
      if (!isLate) throw error;
    }
  }
}
