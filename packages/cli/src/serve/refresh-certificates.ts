import type { Clock } from '@pintle/async';
import { type Credentials, renewCertificates } from '../credentials/credentials.ts';
import type { CertificateSet, LiveCertificates } from './live-certificates.ts';

interface RefreshOptions {
  readonly clock: Clock;
  /** Called when a refresh fails. The old certificates stay in use until the next check. */
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Interval of checks for renewal. Certificates are renewed a month before they expire. */
const RENEW_CHECK_MS = 12 * 60 * 60 * 1000;
/** Interval of checks of certificate files, as in kube-apiserver. */
const RELOAD_CHECK_MS = 60 * 1000;

interface RenewalOptions extends RefreshOptions {
  readonly credentials: Credentials;
  readonly hosts: readonly string[];
  /** Stores the new credentials and uses them. */
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
  /** Result of `read` at the start. */
  readonly first: Partial<CertificateSet>;
  readonly certificates: LiveCertificates;
  readonly onChange: () => void;
}

/**
 * Reloads certificate files when they change, until `signal` aborts. Invalid files, for example half-written ones, change
 * nothing; each failure is reported once.
 */
export async function reloadWhileRunning(options: ReloadOptions): Promise<void> {
  const { read, certificates, onChange } = options;
  let loaded = JSON.stringify(options.first);
  let reported = '';
  const onFailure = (error: unknown): void => {
    const text = String(error);
    if (text !== reported) options.onFailure(error);
    reported = text;
  };
  await repeat(RELOAD_CHECK_MS, { ...options, onFailure }, async () => {
    const found = await read();
    const text = JSON.stringify(found);
    if (text === loaded) return;
    certificates.replace(found);
    loaded = text;
    reported = '';
    onChange();
  });
}

async function repeat(periodMs: number, options: RefreshOptions, check: () => Promise<void>): Promise<void> {
  const { clock, onFailure, signal } = options;
  for (;;) {
    await clock.sleep(periodMs, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await check().catch(onFailure);
  }
}
