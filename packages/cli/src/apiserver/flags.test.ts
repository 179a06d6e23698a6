import { expect, test } from 'vitest';
import { admissionOf } from './admission-flags.ts';
import { FLAGS, parseFlags } from './flags.ts';

function check(line: string, values: object, ignored: string[] = []): void {
  const parsed = parseFlags(line.split(' '));
  expect(parsed.values).toEqual(values);
  expect(parsed.ignored).toEqual(ignored);
}

test('flags are read with an equals sign and without', () =>
  check('--secure-port=1 --bind-address ::1', { 'secure-port': '1', 'bind-address': '::1' }));

test('the last of several counts', () => check('--secure-port=1 --secure-port=2', { 'secure-port': '2' }));

test('values may hold anything', () => check('--data=/a=b', { data: '/a=b' }));

test('flags without meaning are kept apart', () =>
  check('--allow-privileged --v 5 --goaway-chance=0 -v=2', {}, [
    '--allow-privileged=true',
    '--v 5',
    '--goaway-chance=0',
    '-v=2',
  ]));

test('unknown flags, stray words and missing values are refused', () => {
  expect(() => parseFlags(['--insecure-port=0'])).toThrow('unknown flag: --insecure-port');
  expect(() => parseFlags(['up'])).toThrow('unknown argument: up');
  expect(() => parseFlags(['--data'])).toThrow('flag needs an argument: --data');
});

/** Every flag of kube-apiserver v1.36, and what becomes of it. */
const HONOURED = `advertise-address anonymous-auth api-audiences audit-log-maxage audit-log-maxbackup audit-log-maxsize
  audit-log-mode audit-log-path audit-policy-file audit-webhook-batch-buffer-size audit-webhook-batch-max-size
  audit-webhook-batch-max-wait audit-webhook-config-file audit-webhook-initial-backoff authorization-config
  authorization-mode bind-address cert-dir client-ca-file disable-admission-plugins disable-http2-serving
  enable-admission-plugins enable-priority-and-fairness etcd-cafile etcd-certfile etcd-compaction-interval etcd-keyfile etcd-prefix
  encryption-provider-config etcd-servers feature-gates max-mutating-requests-inflight max-requests-inflight
  oidc-ca-file oidc-client-id oidc-groups-claim oidc-groups-prefix oidc-issuer-url oidc-required-claim oidc-signing-algs
  oidc-username-claim oidc-username-prefix proxy-client-cert-file proxy-client-key-file requestheader-allowed-names
  requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers
  requestheader-username-headers secure-port service-account-issuer service-account-jwks-uri service-account-key-file
  service-account-max-token-expiration service-account-signing-key-file service-cluster-ip-range shutdown-delay-duration
  tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file token-auth-file`.split(/\s+/);
const IGNORED = `aggregator-reject-forwarding-redirect allow-metric-labels allow-metric-labels-manifest apiserver-count
  audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait audit-log-batch-throttle-burst
  audit-log-batch-throttle-enable audit-log-batch-throttle-qps audit-log-compress audit-log-truncate-enabled
  audit-log-truncate-max-batch-size audit-log-truncate-max-event-size audit-webhook-batch-throttle-burst
  audit-webhook-batch-throttle-enable audit-webhook-batch-throttle-qps audit-webhook-truncate-enabled
  audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size authentication-token-webhook-cache-ttl
  authentication-token-webhook-version authorization-webhook-cache-authorized-ttl
  authorization-webhook-cache-unauthorized-ttl authorization-webhook-version contention-profiling
  coordinated-leadership-lease-duration coordinated-leadership-renew-deadline coordinated-leadership-retry-period
  cors-allowed-origins debug-socket-path default-not-ready-toleration-seconds default-unreachable-toleration-seconds
  default-watch-cache-size delete-collection-workers disabled-metrics emulated-version emulation-forward-compatible
  enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector enable-logs-handler
  encryption-provider-config-automatic-reload endpoint-reconciler-type
  etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout
  etcd-readycheck-timeout etcd-servers-overrides event-ttl external-hostname goaway-chance
  kubelet-certificate-authority kubelet-client-certificate kubelet-client-key kubelet-port
  kubelet-preferred-address-types kubelet-read-only-port kubelet-timeout kubernetes-service-node-port
  lease-reuse-duration-seconds livez-grace-period log-flush-frequency log-json-info-buffer-size log-json-split-stream
  log-text-info-buffer-size log-text-split-stream logging-format min-compatibility-version min-request-timeout
  peer-advertise-ip peer-advertise-port peer-ca-file permit-address-sharing permit-port-sharing profiling
  request-timeout runtime-config-emulation-forward-compatible service-account-extend-token-expiration
  service-account-lookup service-node-port-range show-hidden-metrics-for-version shutdown-send-retry-after
  shutdown-watch-termination-grace-period storage-backend storage-initialization-timeout storage-media-type
  tracing-config-file v vmodule watch-cache watch-cache-sizes`.split(/\s+/);
/** With a value that protects, and one that asks for nothing more than is done, if there is one. */
const PROTECTIVE: readonly (readonly [flag: string, protective: string, harmless?: string])[] = [
  ['admission-control', 'AlwaysDeny'],
  ['admission-control-config-file', '/nope'],
  ['allow-privileged', 'false', 'true'],
  ['audit-log-format', 'legacy', 'json'],
  ['audit-log-version', 'audit.k8s.io/v1beta1', 'audit.k8s.io/v1'],
  ['audit-webhook-mode', 'blocking-strict', 'batch'],
  ['audit-webhook-version', 'audit.k8s.io/v1beta1', 'audit.k8s.io/v1'],
  ['authentication-config', '/nope'],
  ['authentication-token-webhook-config-file', '/nope'],
  ['authorization-policy-file', '/nope'],
  ['authorization-webhook-config-file', '/nope'],
  ['egress-selector-config-file', '/nope'],
  ['http2-max-streams-per-connection', '10', '250'],
  ['max-connection-bytes-per-sec', '1000', '0'],
  ['runtime-config', 'api/all=true,batch/v1=0', 'api/all=true'],
  ['service-account-signing-endpoint', '/nope'],
  ['strict-transport-security-directives', 'max-age=31536000'],
  ['tls-curve-preferences', '29'],
  ['tls-sni-cert-key', 'a.crt,a.key'],
];

test.each(HONOURED)('--%s is honoured', (flag) => expect(Object.keys(FLAGS)).toContain(flag));

test.each(IGNORED)('--%s is ignored, and said to be', (flag) => {
  expect(parseFlags([`--${flag}=1`])).toMatchObject({ values: {}, ignored: [`--${flag}=1`], unsupported: [] });
});

test.each(PROTECTIVE)('--%s=%s is refused, or left out with a word', (flag, protective, harmless) => {
  const text = `--${flag}=${protective}`;
  expect(() => parseFlags([text])).toThrow(`Cannot use ${text}: `);
  expect(() => parseFlags([text, '--ignore-unsupported-flags=false'])).toThrow(`Cannot use ${text}: `);
  expect(parseFlags([text, '--ignore-unsupported-flags'])).toMatchObject({ ignored: [], unsupported: [text] });
  expect(parseFlags([`--${flag}=`])).toMatchObject({ ignored: [`--${flag}=`] });
  if (harmless === undefined) return;
  expect(parseFlags([`--${flag}=${harmless}`])).toMatchObject({ ignored: [`--${flag}=${harmless}`], unsupported: [] });
});

test('flags that protect are refused all at once, also where the value is the next word', () => {
  const args = ['--authentication-config', '/nope', '--egress-selector-config-file=/nope', '--secure-port=1'];
  expect(() => parseFlags(args)).toThrow(/--authentication-config=\/nope: .*--egress-selector-config-file=\/nope: /);
});

test('what envtest and kubeadm start a server with is taken', () => {
  const envtest = `--advertise-address=127.0.0.1 --allow-privileged=true --authorization-mode=RBAC --bind-address=127.0.0.1
    --cert-dir=/tmp/a --client-ca-file=/tmp/a/ca.crt --disable-admission-plugins=ServiceAccount
    --etcd-servers=http://127.0.0.1:1 --secure-port=1 --service-account-issuer=https://127.0.0.1:1/
    --service-account-key-file=/tmp/a/sa.crt --service-account-signing-key-file=/tmp/a/sa.key
    --service-cluster-ip-range=10.0.0.0/24`;
  const kubeadm = `--advertise-address=10.0.0.1 --allow-privileged=true --authorization-mode=Node,RBAC
    --enable-admission-plugins=NodeRestriction --enable-bootstrap-token-auth=true --etcd-cafile=/a --etcd-certfile=/a
    --etcd-keyfile=/a --kubelet-client-certificate=/a --kubelet-client-key=/a
    --kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname --runtime-config= --proxy-client-cert-file=/a`;
  for (const line of [envtest, kubeadm]) {
    const flags = parseFlags(line.split(/\s+/));
    expect(flags.unsupported).toEqual([]);
    expect(admissionOf(flags).missing).toEqual([]);
  }
});

test('admission plugins that are not there are refused, known or not', () => {
  const ask = (...args: string[]) => admissionOf(parseFlags(args));
  expect(() => ask('--enable-admission-plugins=Magic')).toThrow('Cannot use --enable-admission-plugins=Magic');
  expect(() => ask('--disable-admission-plugins=Magic')).toThrow('Cannot use --disable-admission-plugins=Magic');
  const both = ['--enable-admission-plugins=PodSecurity', '--disable-admission-plugins=PodSecurity'];
  expect(() => ask(...both)).toThrow('PodSecurity at once');
  const missing = '--enable-admission-plugins=AlwaysPullImages,ImagePolicyWebhook,EventRateLimit';
  expect(() => ask(missing)).toThrow('Cannot use --enable-admission-plugins=ImagePolicyWebhook,EventRateLimit: ');
  expect(ask(missing, '--ignore-unsupported-flags').missing).toEqual(['ImagePolicyWebhook', 'EventRateLimit']);
});

test('switches are read as Go reads them', () => {
  check('--anonymous-auth=F --memory=1', { 'anonymous-auth': 'false', memory: 'true' });
  expect(() => parseFlags(['--anonymous-auth=perhaps'])).toThrow(
    'Cannot use --anonymous-auth=perhaps: the value is not true or false',
  );
});

test('help and the version are asked for', () => {
  expect(parseFlags(['--help']).isHelp).toBe(true);
  expect(parseFlags(['--version']).isVersion).toBe(true);
  expect(parseFlags(['--version=raw']).isVersion).toBe(true);
  expect(parseFlags(['--version=v1.35.0'])).toMatchObject({ isVersion: false, ignored: ['--version=v1.35.0'] });
});

test('a switch takes no word of the next argument', () =>
  check('--anonymous-auth --secure-port=1', { 'anonymous-auth': 'true', 'secure-port': '1' }));

test('flags given several times are all kept', () => {
  const { all } = parseFlags(['--service-account-issuer=a', '--service-account-issuer=b']);
  expect(all['service-account-issuer']).toEqual(['a', 'b']);
});
