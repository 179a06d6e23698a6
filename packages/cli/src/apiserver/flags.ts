import { UsageError } from '../usage-error.ts';
import { IGNORED, IGNORED_SWITCHES, REFUSED, readBoolean } from './unsupported-flags.ts';

/** The flags of kube-apiserver that mean something here, and ours. */
export const FLAGS = {
  'bind-address': ['ADDRESS', 'address to listen on (default 127.0.0.1)'],
  'advertise-address': ['ADDRESS', 'address others reach this server at (default: this machine’s)'],
  'secure-port': ['NUMBER', 'port to listen on; 0 takes any free one (default 6443)'],
  'cert-dir': ['DIR', 'where apiserver.crt and apiserver.key lie; they are made when they do not exist'],
  'tls-cert-file': ['FILE', 'the server’s certificate'],
  'tls-private-key-file': ['FILE', 'its key'],
  'tls-min-version': ['NAME', 'VersionTLS12 or VersionTLS13 (default VersionTLS12)'],
  'tls-cipher-suites': ['NAMES', 'suites to speak, by Go’s names (default: those with forward secrecy and AEAD)'],
  'disable-http2-serving': ['BOOL', 'whether only HTTP/1.1 is spoken (default false)'],
  http2: ['NAME', 'who speaks HTTP/2: fast, this server’s own code, or node, Node.js’s (default fast)'],
  'client-ca-file': ['FILE', 'authorities of client certificates'],
  'revoked-client-certificates-file': [
    'FILE',
    'SHA-256 fingerprints of client certificates that count no longer, one per line',
  ],
  'token-auth-file': ['FILE', 'bearer tokens, as lines of token,user,uid,"group1,group2"'],
  'anonymous-auth': ['BOOL', 'whether roles may let strangers in (default: they may see health and version, no more)'],
  'authorization-mode': ['MODES', 'any of RBAC, Node, AlwaysAllow, AlwaysDeny (default RBAC)'],
  'authorization-config': ['FILE', 'an AuthorizationConfiguration that names the same, in the place of the flag'],
  'api-audiences': ['NAMES', 'whom tokens must be meant for (default: the issuer)'],
  'service-account-issuer': ['URL', 'who signs tokens of service accounts; tokens of further ones are taken as well'],
  'service-account-signing-key-file': ['FILE', 'the key they are signed with (default: one in the data folder)'],
  'service-account-key-file': ['FILE', 'keys or certificates they are verified with; may be given several times'],
  'service-account-max-token-expiration': ['DURATION', 'tokens live no longer'],
  'service-account-jwks-uri': ['URL', 'where others find the keys'],
  'oidc-issuer-url': ['URL', 'an OpenID Connect issuer whose ID tokens are taken'],
  'oidc-client-id': ['NAME', 'whom those must be meant for'],
  'oidc-ca-file': ['FILE', 'authorities of the issuer’s certificate (default: the system’s)'],
  'oidc-username-claim': ['NAME', 'the claim that holds the user’s name (default sub)'],
  'oidc-username-prefix': ['TEXT', 'put before it (default: the issuer and #); - for nothing'],
  'oidc-groups-claim': ['NAME', 'the claim that holds the user’s groups'],
  'oidc-groups-prefix': ['TEXT', 'put before each'],
  'oidc-required-claim': ['NAME=VALUE', 'a claim that must be there; may be given several times'],
  'oidc-signing-algs': ['NAMES', 'algorithms to take (default RS256)'],
  'requestheader-client-ca-file': ['FILE', 'authorities of proxies that say in headers who somebody is'],
  'requestheader-allowed-names': ['NAMES', 'common names of those proxies (default: any)'],
  'requestheader-username-headers': ['NAMES', 'headers with the user’s name'],
  'requestheader-uid-headers': ['NAMES', 'headers with the user’s uid'],
  'requestheader-group-headers': ['NAMES', 'headers with the user’s groups'],
  'requestheader-extra-headers-prefix': ['TEXTS', 'how headers begin that say more about the user'],
  'proxy-client-cert-file': ['FILE', 'what this server shows to the servers of other APIs'],
  'proxy-client-key-file': ['FILE', 'the key of it'],
  'audit-policy-file': ['FILE', 'what is audited'],
  'audit-log-path': ['FILE', 'where the audit log is written; without, and without a webhook, nothing is audited'],
  'audit-log-maxsize': ['MEGABYTES', 'size at which the audit log is put aside (default 100)'],
  'audit-log-maxbackup': ['NUMBER', 'how many of those are kept (default 0: all)'],
  'audit-log-maxage': ['DAYS', 'how long those are kept (default 0: forever)'],
  'audit-log-mode': [
    'MODE',
    'when events are written: batch, just after the answer (default of up); blocking, before it (default of apiserver); blocking-strict: or the request is refused',
  ],
  'audit-webhook-config-file': ['FILE', 'a kubeconfig of a webhook that is told what is audited, many events at once'],
  'audit-webhook-batch-buffer-size': ['NUMBER', 'events that may wait for it; more are dropped (default 10000)'],
  'audit-webhook-batch-max-size': ['NUMBER', 'events it is told at once (default 400)'],
  'audit-webhook-batch-max-wait': ['DURATION', 'how long events wait for others (default 30s)'],
  'audit-webhook-initial-backoff': ['DURATION', 'how long to wait after a failure (default 10s)'],
  'enable-admission-plugins': ['NAMES', 'admission plugins that are else left out; may be given several times'],
  'disable-admission-plugins': ['NAMES', 'admission plugins that stay out; may be given several times'],
  'service-cluster-ip-range': ['CIDR', 'where services get their addresses from (default 10.0.0.0/24)'],
  'max-requests-inflight': ['NUMBER', 'reading requests at a time (default 400)'],
  'max-mutating-requests-inflight': ['NUMBER', 'writing requests at a time (default 200)'],
  'enable-priority-and-fairness': ['BOOL', 'whether both are seats that flow schemas divide (default true)'],
  'shutdown-delay-duration': ['DURATION', 'how long to answer on, not ready, before stopping (default 0s)'],
  'etcd-servers': ['URLS', 'an etcd to keep objects in, with other servers; left alone with --data or --memory'],
  'etcd-prefix': ['TEXT', 'how all keys of this server begin in it (default /pintle)'],
  'etcd-cafile': ['FILE', 'authorities of its certificate (default: those that Node trusts)'],
  'etcd-certfile': ['FILE', 'what this server shows to it'],
  'etcd-keyfile': ['FILE', 'the key of that'],
  'etcd-compaction-interval': [
    'DURATION',
    'how often its history is compacted, by one of those who share it (default 5m)',
  ],
  data: ['DIR', 'where objects are kept; in memory without'],
  memory: ['BOOL', 'says that they are to be kept in memory, where others expect an etcd'],
  'exit-with-parent': ['PID', 'stop when that process, which started this one, is gone'],
  controllers: [
    'NAMES',
    'controllers that run beside the server: * all, name this one, -name not this one (default none)',
  ],
  'secrets-key-file': ['FILE', 'keys that Secrets are encrypted with (default: secrets.key in the data folder)'],
  'ignore-unsupported-flags': ['BOOL', 'whether to start without what flags ask for that this server cannot give'],
  'kubeconfig-out': ['FILE', 'where to write a kubeconfig for an administrator'],
} as const;

export type Flag = keyof typeof FLAGS;

export interface ParsedFlags {
  /** The last value of each; earlier ones are overridden. */
  readonly values: Readonly<Partial<Record<Flag, string>>>;
  /** Every value of each, in the order given. */
  readonly all: Readonly<Partial<Record<Flag, readonly string[]>>>;
  /** Flags of kube-apiserver that mean nothing here, as they were written. */
  readonly ignored: readonly string[];
  /** Flags whose protection is left out, as they were written; none without --ignore-unsupported-flags. */
  readonly unsupported: readonly string[];
  readonly isHelp: boolean;
  readonly isVersion: boolean;
}

/**
 * Reads kube-apiserver's command line: `--flag=value`, `--flag value`, and `--flag` for switches. Throws UsageError for
 * what kube-apiserver would not take either.
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

/** All of them at once: whoever mends a command line wants to know each. */
function refuse(refused: readonly { readonly text: string; readonly why: string }[]): void {
  if (refused.length === 0) return;
  const reasons = refused.map(({ text, why }) => `${text}: ${why}`).join('; ');
  throw new UsageError(
    `Cannot use ${reasons}. Leave out what this server cannot do, or say --ignore-unsupported-flags to start without it.`,
  );
}

function booleanOf(name: Flag, text: string): string {
  const value = readBoolean(text);
  if (value === undefined) throw new UsageError(`Cannot use --${name}=${text}: it is no BOOL`);
  return String(value);
}

/** Any other value is what a server should say it is, which is not for flags to decide here. */
const PRINTS_VERSION: ReadonlySet<string> = new Set(['true', 'raw']);

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

/** Flags that take no value of the next argument. */
const SWITCHES: ReadonlySet<string> = new Set<Flag>([
  'anonymous-auth',
  'disable-http2-serving',
  'enable-priority-and-fairness',
  'ignore-unsupported-flags',
  'memory',
]);
