import type { Http2Choice, TlsSettings } from '@pintle/apiserver';
import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

/** TLS versions by Go's names. Versions before 1.2 are accepted and raised to 1.2. */
const MIN_VERSIONS: ReadonlyMap<string, NonNullable<TlsSettings['minVersion']>> = new Map([
  ['VersionTLS10', 'TLSv1.2'],
  ['VersionTLS11', 'TLSv1.2'],
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Suites of TLS 1.2, from Go's names to OpenSSL's. */
const TLS12_SUITES: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
]);

/** Weak suites that Go has and this server accepts but never offers. */
const WEAK_SUITE =
  /^TLS_(ECDHE_(ECDSA|RSA)|RSA)_WITH_(AES_(128|256)_(CBC_SHA(256)?|GCM_SHA(256|384))|3DES_EDE_CBC_SHA|RC4_128_SHA)$/;

/** Reads the flags of TLS. Throws UsageError for unknown versions and suites. */
export function tlsOf({ values, all }: ParsedFlags): TlsSettings {
  const version = values['tls-min-version'] ?? '';
  const minVersion = MIN_VERSIONS.get(version);
  if (version !== '' && minVersion === undefined) {
    throw new UsageError(
      `Cannot use --tls-min-version=${version}: it is not one of ${[...MIN_VERSIONS.keys()].join(', ')}`,
    );
  }
  const names = (all['tls-cipher-suites'] ?? []).flatMap((text) => text.split(',')).filter((name) => name !== '');
  return {
    ...(minVersion && { minVersion }),
    ...(names.length > 0 && { ciphers: ciphersOf(names) }),
    ...(values['disable-http2-serving'] === 'true' && { isHttp2Disabled: true }),
  };
}

/** Reads --http2. Throws UsageError for an unknown name. */
export function http2Of({ values: { http2 = 'fast' } }: ParsedFlags): Http2Choice {
  if (http2 === 'fast' || http2 === 'node') return http2;
  throw new UsageError(`Cannot use --http2=${http2}: it is not one of fast, node`);
}

/** Keeps all suites of TLS 1.3 unless some of them are named, as Go does. */
function ciphersOf(names: readonly string[]): string {
  const unknown = names.find(
    (name) => !TLS13_SUITES.includes(name) && !TLS12_SUITES.has(name) && !WEAK_SUITE.test(name),
  );
  if (unknown !== undefined) throw new UsageError(`Cannot use --tls-cipher-suites=${unknown}: there is no such suite`);
  const modern = TLS13_SUITES.filter((name) => names.includes(name));
  const older = names.flatMap((name) => TLS12_SUITES.get(name) ?? []);
  return [...(modern.length > 0 ? modern : TLS13_SUITES), ...new Set(older)].join(':');
}
