import type { Clock } from '@pintle/async';
import { type Credentials, renewCertificates } from '../credentials/credentials.ts';
import type { CertificateSet, LiveCertificates } from './live-certificates.ts';

interface RefreshOptions {
  readonly clock: Clock;
  /** Told when a refresh failed. The old certificates stay in use, and the next look tries again. */
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Certificates of ours are renewed a month before they expire, so a look now and then is enough. */
const RENEW_CHECK_MS = 12 * 60 * 60 * 1000;
/** As often as kube-apiserver looks at files with certificates. */
const RELOAD_CHECK_MS = 60 * 1000;

interface RenewalOptions extends RefreshOptions {
  readonly credentials: Credentials;
  readonly hosts: readonly string[];
  /** Keeps the new credentials and puts them to use. */
  readonly apply: (renewed: Credentials) => Promise<void>;
}

/** Renews the certificates of a running server before they expire, until `signal` aborts. The authorities stay. */
export async function renewWhileRunning({ credentials, hosts, apply, ...options }: RenewalOptions): Promise<void> {
  let current = credentials;
  await repeat(RENEW_CHECK_MS, options, async () => {
    const renewed = await renewCertificates(current, { hosts, nowMs: options.clock.now() });
    if (renewed === current) return;
    await apply(renewed);
    current = renewed;
  });
}

interface ReloadOptions extends RefreshOptions {
  /** Reads the files again. */
  readonly read: () => Promise<Partial<CertificateSet>>;
  /** The result of `read` at the start. */
  readonly first: Partial<CertificateSet>;
  readonly certificates: LiveCertificates;
  readonly onChange: () => void;
}

/**
 * Follows files with certificates until `signal` aborts. Files that cannot be used, of which one half was written only for
 * instance, change nothing; each such state is told once.
 */
export async function reloadWhileRunning(options: ReloadOptions): Promise<void> {
  const { read, certificates, onChange } = options;
  let seen = JSON.stringify(options.first);
  let told = '';
  const onFailure = (error: unknown): void => {
    const text = String(error);
    if (text !== told) options.onFailure(error);
    told = text;
  };
  await repeat(RELOAD_CHECK_MS, { ...options, onFailure }, async () => {
    const found = await read();
    const text = JSON.stringify(found);
    if (text === seen) return;
    certificates.replace(found);
    seen = text;
    told = '';
    onChange();
  });
}

async function repeat(periodMs: number, options: RefreshOptions, look: () => Promise<void>): Promise<void> {
  const { clock, onFailure, signal } = options;
  for (;;) {
    await clock.sleep(periodMs, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await look().catch(onFailure);
  }
}
