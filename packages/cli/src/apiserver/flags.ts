import { UsageError } from '../usage-error.ts';
import { IGNORED, IGNORED_SWITCHES, REFUSED, readBoolean } from './unsupported-flags.ts';

/** Flags that this server honours: those of kube-apiserver, and its own. Each with the kind of its value and its help. */
export const FLAGS = {
  'bind-address': ['ADDRESS', 'Address to listen on (default: 127.0.0.1)'],
  'advertise-address': ['ADDRESS', 'Address at which others reach this server (default: this machine’s)'],
  'secure-port': ['NUMBER', 'Port to listen on; 0 picks a free port (default: 6443)'],
  'cert-dir': ['DIR', 'Folder of apiserver.crt and apiserver.key; missing files are created'],
  'tls-cert-file': ['FILE', 'Path of the server’s certificate'],
  'tls-private-key-file': ['FILE', 'Path of the key of --tls-cert-file'],
  'tls-min-version': ['NAME', 'Minimum TLS version: VersionTLS12 or VersionTLS13 (default: VersionTLS12)'],
  'tls-cipher-suites': ['NAMES', 'Cipher suites by Go’s names (default: those with forward secrecy and AEAD)'],
  'disable-http2-serving': ['BOOL', 'Serve HTTP/1.1 only (default: false)'],
  http2: ['NAME', 'Implementation of HTTP/2: fast is our own, node is that of Node.js (default: fast)'],
  'client-ca-file': ['FILE', 'Path of the certificate authorities of client certificates'],
  'revoked-client-certificates-file': [
    'FILE',
    'Path of the SHA-256 fingerprints of revoked client certificates, one per line',
  ],
  'token-auth-file': ['FILE', 'Path of bearer tokens, as lines of token,user,uid,"group1,group2"'],
  'anonymous-auth': ['BOOL', 'Let roles admit anonymous requests (default: health and version only)'],
  'authorization-mode': ['MODES', 'Authorizers, any of RBAC, Node, AlwaysAllow, AlwaysDeny (default: RBAC)'],
  'authorization-config': ['FILE', 'Path of an AuthorizationConfiguration; replaces --authorization-mode'],
  'api-audiences': ['NAMES', 'Audiences that tokens must have (default: the issuer)'],
  'service-account-issuer': ['URL', 'Issuer of service account tokens; repeat to accept tokens of further issuers'],
  'service-account-signing-key-file': [
    'FILE',
    'Path of the key that signs service account tokens (default: service-account.key in the data folder)',
  ],
  'service-account-key-file': ['FILE', 'Path of keys or certificates that verify these tokens; repeatable'],
  'service-account-max-token-expiration': ['DURATION', 'Maximum lifetime of these tokens'],
  'service-account-jwks-uri': ['URL', 'URL of the public keys for the discovery document'],
  'oidc-issuer-url': ['URL', 'OpenID Connect issuer whose ID tokens are accepted'],
  'oidc-client-id': ['NAME', 'Audience that ID tokens must have'],
  'oidc-ca-file': ['FILE', 'Path of the certificate authorities of the issuer (default: the system’s)'],
  'oidc-username-claim': ['NAME', 'Claim with the user name (default: sub)'],
  'oidc-username-prefix': ['TEXT', 'Prefix of user names; - for none (default: the issuer and #)'],
  'oidc-groups-claim': ['NAME', 'Claim with the groups of the user'],
  'oidc-groups-prefix': ['TEXT', 'Prefix of groups'],
  'oidc-required-claim': ['NAME=VALUE', 'Claim that ID tokens must have; repeatable'],
  'oidc-signing-algs': ['NAMES', 'Accepted signing algorithms (default: RS256)'],
  'requestheader-client-ca-file': ['FILE', 'Path of the certificate authorities of proxies that name users in headers'],
  'requestheader-allowed-names': ['NAMES', 'Common names of these proxies (default: any)'],
  'requestheader-username-headers': ['NAMES', 'Headers with the user name'],
  'requestheader-uid-headers': ['NAMES', 'Headers with the UID of the user'],
  'requestheader-group-headers': ['NAMES', 'Headers with the groups of the user'],
  'requestheader-extra-headers-prefix': ['TEXTS', 'Prefixes of headers with extra fields of the user'],
  'proxy-client-cert-file': ['FILE', 'Path of the client certificate for aggregated API servers'],
  'proxy-client-key-file': ['FILE', 'Path of the key of --proxy-client-cert-file'],
  'audit-policy-file': ['FILE', 'Path of the audit policy'],
  'audit-log-path': ['FILE', 'Path of the audit log (default: none)'],
  'audit-log-maxsize': ['MEGABYTES', 'Size at which the audit log is rotated (default: 100)'],
  'audit-log-maxbackup': ['NUMBER', 'Number of rotated audit logs to keep; 0 keeps all (default: 0)'],
  'audit-log-maxage': ['DAYS', 'Days to keep rotated audit logs; 0 keeps them forever (default: 0)'],
  'audit-log-mode': [
    'MODE',
    'Write events after the response (batch), before it (blocking), or else refuse the request (blocking-strict) (default: batch for up, blocking for apiserver)',
  ],
  'audit-webhook-config-file': ['FILE', 'Path of the kubeconfig of a webhook that receives batches of audit events'],
  'audit-webhook-batch-buffer-size': ['NUMBER', 'Maximum of queued events; more are dropped (default: 10000)'],
  'audit-webhook-batch-max-size': ['NUMBER', 'Maximum of events per batch (default: 400)'],
  'audit-webhook-batch-max-wait': ['DURATION', 'Maximum time before a batch is sent (default: 30s)'],
  'audit-webhook-initial-backoff': ['DURATION', 'Delay before the first retry (default: 10s)'],
  'enable-admission-plugins': ['NAMES', 'Admission plugins to add to the defaults; repeatable'],
  'disable-admission-plugins': ['NAMES', 'Admission plugins to leave out; repeatable'],
  'service-cluster-ip-range': ['CIDR', 'Range of service IPs (default: 10.0.0.0/24)'],
  'max-requests-inflight': ['NUMBER', 'Maximum of concurrent read requests (default: 400)'],
  'max-mutating-requests-inflight': ['NUMBER', 'Maximum of concurrent write requests (default: 200)'],
  'enable-priority-and-fairness': ['BOOL', 'Divide both limits by flow schemas (default: true)'],
  'feature-gates': ['NAME=BOOL', 'Features to turn on or off: ShardedListAndWatch; others have no effect; repeatable'],
  'shutdown-delay-duration': ['DURATION', 'Time to serve, not ready, before stopping (default: 0s)'],
  'etcd-servers': [
    'URLS',
    'URLs of the etcd members that store the objects; ignored with --memory, and by apiserver with --data',
  ],
  'etcd-prefix': ['TEXT', 'Prefix of all keys in etcd (default: /registry)'],
  'etcd-cafile': ['FILE', 'Path of the certificate authorities of etcd (default: those of Node.js)'],
  'etcd-certfile': ['FILE', 'Path of the client certificate for etcd'],
  'etcd-keyfile': ['FILE', 'Path of the key of --etcd-certfile'],
  'etcd-compaction-interval': [
    'DURATION',
    'Interval of compactions, of etcd by one of its servers, or of the own store; 0 leaves the latter to its limits (default: 5m)',
  ],
  'encryption-provider-config': ['FILE', 'Path of an EncryptionConfiguration for the objects in etcd'],
  workers: ['NUMBER', 'Number of processes that serve (default: 1)'],
  data: ['DIR', 'Folder for the objects (default: in memory)'],
  memory: ['BOOL', 'Keep objects in memory, even with --etcd-servers (default: false)'],
  'exit-with-parent': ['PID', 'Stop when the process that started this one is gone'],
  controllers: ['NAMES', 'Controllers to run: * enables all, NAME one, -NAME disables one (default: none)'],
  'secrets-key-file': ['FILE', 'Path of the keys that encrypt Secrets (default: secrets.key in the data folder)'],
  'ignore-unsupported-flags': ['BOOL', 'Start without the protection of unsupported flags (default: false)'],
  'kubeconfig-out': ['FILE', 'Path of an administrator’s kubeconfig to write'],
} as const;

export type Flag = keyof typeof FLAGS;

export interface ParsedFlags {
  /** Last value of each flag. */
  readonly values: Readonly<Partial<Record<Flag, string>>>;
  /** Every value of each flag, in the order given. */
  readonly all: Readonly<Partial<Record<Flag, readonly string[]>>>;
  /** Flags of kube-apiserver that have no effect here, as they were written. */
  readonly ignored: readonly string[];
  /** Flags whose protection is missing, as they were written; empty without --ignore-unsupported-flags. */
  readonly unsupported: readonly string[];
  readonly isHelp: boolean;
  readonly isVersion: boolean;
}

/**
 * Reads the command line of kube-apiserver: `--flag=value`, `--flag value`, and `--flag` for switches. Throws UsageError
 * for flags that kube-apiserver does not have, and for those that this server refuses.
 */
export function parseFlags(args: readonly string[]): ParsedFlags {
  const values: Partial<Record<Flag, string>> = {};
  const all: Partial<Record<Flag, string[]>> = {};
  const ignored: string[] = [];
  const refused: { readonly text: string; readonly why: string }[] = [];
  let isHelp = false;
  let isVersion = false;
  for (let i = 0; i < args.length; i++) {
    const text = args[i]!;
    const { name, inline } = splitFlag(text);
    if (name === 'help' || name === 'h') isHelp = true;
    else if (name === 'version' && PRINTS_VERSION.has(inline ?? 'true')) isVersion = true;
    else if (isFlag(name)) {
      const value = SWITCHES.has(name) ? booleanOf(name, inline ?? 'true') : (inline ?? valueAfter(args, i++, name));
      values[name] = value;
      all[name] = [...(all[name] ?? []), value];
    } else if (IGNORED_SWITCHES.has(name)) ignored.push(text);
    else if (IGNORED.has(name)) ignored.push(inline === undefined ? `${text} ${valueAfter(args, i++, name)}` : text);
    else {
      const refusal = REFUSED.get(name);
      if (refusal === undefined) throw new UsageError(`unknown flag: --${name}`);
      const { why, isHarmless, isSwitch } = refusal;
      const value = inline ?? (isSwitch ? 'true' : valueAfter(args, i++, name));
      const written = `--${name}=${value}`;
      if (value === '' || isHarmless?.(value)) ignored.push(written);
      else refused.push({ text: written, why });
    }
  }
  if (!isHelp && !isVersion && values['ignore-unsupported-flags'] !== 'true') refuse(refused);
  return { values, all, ignored, unsupported: refused.map(({ text }) => text), isHelp, isVersion };
}

/** Names all refused flags at once, so that one correction of the command line is enough. */
function refuse(refused: readonly { readonly text: string; readonly why: string }[]): void {
  if (refused.length === 0) return;
  const reasons = refused.map(({ text, why }) => `${text}: ${why}`).join('; ');
  throw new UsageError(
    `Cannot use ${reasons}. Remove the flags, or pass --ignore-unsupported-flags to start without their protection.`,
  );
}

function booleanOf(name: Flag, text: string): string {
  const value = readBoolean(text);
  if (value === undefined) throw new UsageError(`Cannot use --${name}=${text}: the value is not true or false`);
  return String(value);
}

/** Values of --version that print it. Any other value sets the version that kube-apiserver reports, and is ignored here. */
const PRINTS_VERSION: ReadonlySet<string> = new Set(['true', 'raw']);

/** False when the last `--feature-gates` that names the feature turns it off. */
export function isGateOpen({ all }: Pick<ParsedFlags, 'all'>, feature: string): boolean {
  const entries = (all['feature-gates'] ?? []).flatMap((value) => value.split(','));
  const last = entries.map((entry) => entry.trim()).findLast((entry) => entry.startsWith(`${feature}=`));
  if (last === undefined) return true;
  return booleanOf('feature-gates', last.slice(feature.length + 1)) === 'true';
}

function splitFlag(text: string): { readonly name: string; readonly inline: string | undefined } {
  const match = /^--?([a-zA-Z][a-zA-Z0-9-_]*)(?:=(.*))?$/s.exec(text);
  if (match === null) throw new UsageError(`unknown argument: ${text}`);
  return { name: match[1]!.replaceAll('_', '-'), inline: match[2] };
}

function isFlag(name: string): name is Flag {
  return Object.hasOwn(FLAGS, name);
}

function valueAfter(args: readonly string[], i: number, name: string): string {
  const value = args[i + 1];
  if (value === undefined) throw new UsageError(`flag needs an argument: --${name}`);
  return value;
}

/** Flags whose value never is the next argument. */
const SWITCHES: ReadonlySet<string> = new Set<Flag>([
  'anonymous-auth',
  'disable-http2-serving',
  'enable-priority-and-fairness',
  'ignore-unsupported-flags',
  'memory',
]);
