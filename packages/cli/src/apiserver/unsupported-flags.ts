/**
 * Flags of kube-apiserver that this server does not honour. Flags of performance, logging and discovery are ignored; flags
 * that protect are refused, unless this server does what their value asks for anyway.
 */

interface Refusal {
  /** Follows `Cannot use --flag=value: `. */
  readonly why: string;
  /** True for values that ask for what this server does anyway. An empty value always is harmless. */
  readonly isHarmless?: (value: string) => boolean;
  /** The value never is the next argument. */
  readonly isSwitch?: true;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Ignored flags whose value never is the next argument. */
export const IGNORED_SWITCHES: ReadonlySet<string> = words(`
  aggregator-reject-forwarding-redirect alsologtostderr audit-log-batch-throttle-enable audit-log-compress
  audit-log-truncate-enabled audit-webhook-batch-throttle-enable audit-webhook-truncate-enabled contention-profiling
  emulation-forward-compatible enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector
  enable-logs-handler encryption-provider-config-automatic-reload log-json-split-stream log-text-split-stream
  logtostderr one-output permit-address-sharing permit-port-sharing profiling
  runtime-config-emulation-forward-compatible service-account-extend-token-expiration service-account-lookup
  shutdown-send-retry-after skip-headers skip-log-headers watch-cache
`);

/** Ignored flags that take a value. */
export const IGNORED: ReadonlySet<string> = words(`
  allow-metric-labels allow-metric-labels-manifest apiserver-count audit-log-batch-buffer-size audit-log-batch-max-size
  audit-log-batch-max-wait audit-log-batch-throttle-burst audit-log-batch-throttle-qps audit-log-truncate-max-batch-size
  audit-log-truncate-max-event-size audit-webhook-batch-throttle-burst audit-webhook-batch-throttle-qps
  audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size authentication-token-webhook-cache-ttl
  authentication-token-webhook-version authorization-webhook-cache-authorized-ttl
  authorization-webhook-cache-unauthorized-ttl authorization-webhook-version cloud-config cloud-provider
  cloud-provider-gce-l7lb-src-cidrs coordinated-leadership-lease-duration coordinated-leadership-renew-deadline
  coordinated-leadership-retry-period cors-allowed-origins debug-socket-path default-not-ready-toleration-seconds
  default-unreachable-toleration-seconds default-watch-cache-size delete-collection-workers disabled-metrics
  emulated-version endpoint-reconciler-type etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout
  etcd-readycheck-timeout etcd-servers-overrides event-ttl external-hostname goaway-chance
  kubelet-certificate-authority kubelet-client-certificate kubelet-client-key kubelet-port
  kubelet-preferred-address-types kubelet-read-only-port kubelet-timeout kubernetes-service-node-port
  lease-reuse-duration-seconds livez-grace-period log-backtrace-at log-dir log-file log-file-max-size
  log-flush-frequency log-json-info-buffer-size log-text-info-buffer-size logging-format min-compatibility-version
  min-request-timeout peer-advertise-ip peer-advertise-port peer-ca-file request-timeout service-node-port-range
  show-hidden-metrics-for-version shutdown-watch-termination-grace-period stderrthreshold storage-backend
  storage-initialization-timeout storage-media-type target-ram-mb tracing-config-file v version vmodule
  watch-cache-sizes
`);

const EVENT_VERSION: Refusal = {
  why: 'audit events have version audit.k8s.io/v1',
  isHarmless: (value) => value === 'audit.k8s.io/v1',
};

/** Maximum of streams per HTTP/2 connection. */
const MAX_STREAMS = 100;

export const REFUSED: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ['admission-control', { why: 'use --enable-admission-plugins and --disable-admission-plugins' }],
  ['admission-control-config-file', { why: 'admission plugins cannot be configured' }],
  [
    'allow-privileged',
    {
      why: 'privileged containers are allowed unless PodSecurity forbids them',
      isHarmless: isTrue,
      isSwitch: true,
    },
  ],
  ['audit-log-format', { why: 'the audit log is JSON', isHarmless: (value) => value === 'json' }],
  ['audit-log-version', EVENT_VERSION],
  ['audit-webhook-version', EVENT_VERSION],
  [
    'audit-webhook-mode',
    { why: 'requests never wait for the webhook (batch)', isHarmless: (value) => value === 'batch' },
  ],
  ['authentication-config', { why: 'use --oidc-issuer-url and --anonymous-auth' }],
  ['authentication-token-webhook-config-file', { why: 'webhooks cannot authenticate tokens' }],
  ['authorization-policy-file', { why: 'ABAC is not supported; use --authorization-mode=RBAC' }],
  ['authorization-webhook-config-file', { why: 'webhooks cannot authorize requests' }],
  ['egress-selector-config-file', { why: 'all connections are direct' }],
  [
    'http2-max-streams-per-connection',
    {
      why: `the limit is ${MAX_STREAMS} streams per connection`,
      isHarmless: (value) => /^\d{1,9}$/.test(value) && (Number(value) === 0 || Number(value) >= MAX_STREAMS),
    },
  ],
  [
    'max-connection-bytes-per-sec',
    { why: 'the rate of connections cannot be limited', isHarmless: (value) => value === '0' },
  ],
  [
    'runtime-config',
    {
      why: 'APIs cannot be disabled',
      isHarmless: (value) => value.split(',').every((entry) => !entry.includes('=') || isTrue(entry.split('=')[1]!)),
    },
  ],
  ['service-account-signing-endpoint', { why: 'tokens are signed with --service-account-signing-key-file' }],
  ['strict-transport-security-directives', { why: 'the header is not sent' }],
  ['tls-curve-preferences', { why: 'the curves are those of Node.js' }],
  ['tls-sni-cert-key', { why: 'all names have one certificate' }],
]);

/** Reads a boolean as Go does; `undefined` for other texts. */
export function readBoolean(value: string): boolean | undefined {
  if (/^(1|t|T|true|TRUE|True)$/.test(value)) return true;
  return /^(0|f|F|false|FALSE|False)$/.test(value) ? false : undefined;
}

function isTrue(value: string): boolean {
  return readBoolean(value) === true;
}
