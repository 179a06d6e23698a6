import type { X509Certificate } from 'node:crypto';
import type { Clock } from '@pintle/async';
import type { Client } from '@pintle/client';
import { Secret } from '@pintle/kinds/core/v1';
import { isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { KeyPair } from '@pintle/pki';
import { isAging, isExpired, isFor, isSignedBy, readCertificates } from '@pintle/pki';
import { OperatorError } from '../errors.ts';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { createOwnAuthority, issueForHosts } from './own-authority.ts';

export interface ManagedCertificateOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The Secret that replicas share. */
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly hosts: readonly string[];
  /** Default: 90. */
  readonly certificateDays?: number;
  /** Default: 365. */
  readonly authorityDays?: number;
}

/** What the Secret holds. The first authority signs; the others are still trusted for what they have signed. */
interface Kept extends ServingCertificate {
  readonly authorities: string;
  readonly authorityKey: string;
}

/**
 * What comes next. Every step is one write to the Secret that says which version of it it replaces, so it does not matter
 * which replica takes it, or dies on the way:
 *
 *     nothing usable ► create           an authority and a certificate
 *     authority ages ► renewAuthority   another in front; the certificate stays, the old one still vouches for it
 *     certificate ages, is not by the first authority, or not for these hosts
 *                    ► renewCertificate only after the API server has been told all authorities
 *     else           ► use
 */
type Step = 'create' | 'renewAuthority' | 'renewCertificate' | 'use';

const CHECK_EVERY_MS = 60 * 60 * 1000;
const MAX_STEPS = 20;
const OWNER_LABEL = 'app.kubernetes.io/managed-by';
const OWNER = 'pintle-webhooks';

/** Certificates signed by an authority of the operator's own, kept in a Secret and renewed before they expire. */
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
      const kept = secret && this.#read(secret);
      const step = this.#nextStep(kept);
      if (step === 'use' && kept !== undefined) return kept;
      if (step === 'renewCertificate' && kept !== undefined) await publish(kept.authorities);
      await this.#write(secret, await this.#take(step, kept), signal);
    }
    throw new OperatorError({ code: 'NoCertificate', where: `Secret ${ref.namespace}/${ref.name}` });
  }

  #nextStep(kept: Kept | undefined): Step {
    const nowMs = this.#options.clock.now();
    const [authority] = readCertificates(kept?.authorities ?? '');
    const [certificate] = readCertificates(kept?.certificate ?? '');
    if (kept === undefined || authority === undefined || kept.authorityKey === '' || isExpired(authority, nowMs))
      return 'create';
    if (isAging(authority, nowMs)) return 'renewAuthority';
    return certificate !== undefined && this.#isGood(certificate, authority, nowMs) ? 'use' : 'renewCertificate';
  }

  #isGood(certificate: X509Certificate, authority: X509Certificate, nowMs: number): boolean {
    const isForAll = this.#options.hosts.every((host) => isFor(certificate, host));
    return isForAll && isSignedBy(certificate, authority) && !isAging(certificate, nowMs);
  }

  async #take(step: Step, kept: Kept | undefined): Promise<Kept> {
    if (step === 'renewCertificate' && kept !== undefined) {
      const [authority] = readCertificates(kept.authorities);
      const signer = { certificate: authority!.toString(), privateKey: kept.authorityKey };
      return { ...kept, ...(await this.#issue(signer)) };
    }
    const authority = await this.#newAuthority();
    const authorityKey = authority.privateKey;
    if (step === 'renewAuthority' && kept !== undefined) {
      const trusted = readCertificates(kept.authorities).filter((one) => !isExpired(one, this.#options.clock.now()));
      const authorities = [authority.certificate, ...trusted.map((one) => one.toString())].join('');
      return { ...kept, authorities, authorityKey };
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

  #read({ metadata, data = {} }: Secret): Kept {
    if (metadata.labels?.[OWNER_LABEL] !== OWNER)
      throw new OperatorError({ code: 'ForeignSecret', secret: `${metadata.namespace}/${metadata.name}` });
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
    return {
      authorities: text('ca.crt'),
      authorityKey: text('ca.key'),
      certificate: text('tls.crt'),
      privateKey: text('tls.key'),
    };
  }

  /** When another replica was faster, its work is as good: the caller looks again. */
  async #write(before: Secret | undefined, kept: Kept, signal: AbortSignal): Promise<void> {
    const { client, secret } = this.#options;
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    const data = {
      'ca.crt': encoded(kept.authorities),
      'ca.key': encoded(kept.authorityKey),
      'tls.crt': encoded(kept.certificate),
      'tls.key': encoded(kept.privateKey),
    };
    try {
      if (before === undefined) {
        const metadata = { ...secret, labels: { [OWNER_LABEL]: OWNER } };
        await client.create(Secret, { metadata, type: 'Opaque', data }, { signal });
      } else await client.update(Secret, { ...before, data }, { signal });
    } catch (error) {
      const isLate = isAlreadyExists(error) || isConflict(error) || (before !== undefined && isNotFound(error));
      if (!isLate) throw error;
    }
  }
}
