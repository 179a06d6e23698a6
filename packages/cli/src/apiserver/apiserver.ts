import { mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { type AuditPolicy, readAuditPolicy, VERSION } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import { parseCidr } from '@pintle/machinery/names';
import { parseDurationMs } from '@pintle/machinery/time';
import type { KeyPair } from '@pintle/pki';
import { type Credentials, keepCredentials, openCredentials, renewCredentials } from '../credentials/credentials.ts';
import { serverUrl, writeKubeconfig } from '../credentials/kubeconfig.ts';
import { readControllers, readHost, readPort } from '../read-values.ts';
import type { WebhookLog } from '../serve/audit-webhook.ts';
import { type AuditFile, type AuditLog, ControlPlane, type ControlPlaneOptions } from '../serve/control-plane.ts';
import { type CertificateSet, LiveCertificates } from '../serve/live-certificates.ts';
import { createLog, type Log } from '../serve/log.ts';
import { reloadWhileRunning, renewWhileRunning } from '../serve/refresh-certificates.ts';
import { parentGone, stopSignal } from '../serve/stop-signal.ts';
import { UsageError } from '../usage-error.ts';
import { admissionOf } from './admission-flags.ts';
import { auditModeOf, STRICT_AUDIT_POLICY } from './audit-mode.ts';
import { authOf, readProxyPair } from './auth-flags.ts';
import { compactionIntervalOf, etcdOf, refuseEncryption } from './etcd-flags.ts';
import { FLAGS, isGateOpen, type ParsedFlags, parseFlags } from './flags.ts';
import { keepServingPair, readServingPair } from './serving-pair.ts';
import { http2Of, tlsOf } from './tls-flags.ts';
import { workersOf } from './worker-flags.ts';

/** Runs the API server with the flags of kube-apiserver until a signal stops it. */
export async function apiserver(args: readonly string[]): Promise<void> {
  const flags = parseFlags(args);
  if (flags.isHelp) {
    process.stdout.write(help());
    return;
  }
  if (flags.isVersion) {
    process.stdout.write(`Kubernetes ${VERSION.gitVersion}\n`);
    return;
  }
  refuseBoth(flags);
  const parent = flags.values['exit-with-parent'];
  const stop = parent === undefined ? stopSignal() : Promise.race([stopSignal(), parentGone(Number(parent))]);
  const log = createLog();
  for (const flag of flags.ignored) log.info('Ignored flag', { flag });
  for (const flag of flags.unsupported) log.warn('Ignored unsupported flag', { flag });
  if (flags.values['etcd-servers'] !== undefined && hasOwnStore(flags))
    log.info('Ignored --etcd-servers', { data: flags.values.data });
  try {
    const running = new AbortController();
    const { plane, refreshing } = await open(flags, log, running.signal);
    log.info('Listening', { address: serverUrl(hostOf(flags), plane.port) });
    await stop;
    plane.beginShutdown();
    await realClock.sleep(durationOf(flags));
    running.abort();
    await refreshing;
    await plane.close();
    log.info('Stopped');
  } finally {
    await log.flush();
  }
}

function refuseBoth({ values }: ParsedFlags): void {
  if (values.memory === 'true' && values.data !== undefined)
    throw new UsageError('Cannot use --data with --memory: pass only one of them');
}

/** True when --data or --memory overrides --etcd-servers, which programs that start kube-apiserver always pass. */
function hasOwnStore({ values }: ParsedFlags): boolean {
  return values.data !== undefined || values.memory === 'true';
}

interface RunningServer {
  readonly plane: ControlPlane;
  /** Resolves once certificates are no longer renewed or reloaded. */
  readonly refreshing: Promise<unknown>;
}

async function open(flags: ParsedFlags, log: Log, signal: AbortSignal): Promise<RunningServer> {
  const { values } = flags;
  const host = hostOf(flags);
  const [tls, http2] = [tlsOf(flags), http2Of(flags)];
  const { enabledAdmission, disabledAdmission, missing } = admissionOf(flags);
  for (const plugin of missing) log.warn('Ignored unsupported admission plugin', { plugin });
  const given = await readServingPair(flags);
  const clients = await readOptional(values['client-ca-file']);
  const own = isComplete(flags, given, clients) ? undefined : await ownCredentials(values.data, host);
  const server = given ?? (await keepServingPair(flags, own!.server));
  const readFiles = async (): Promise<Partial<CertificateSet>> => {
    const [pair, proxyClient] = [given && (await readServingPair(flags)), await readProxyPair(flags)];
    const bundle = await readOptional(values['client-ca-file']);
    return {
      ...(pair && { server: pair }),
      ...(proxyClient && { proxyClient }),
      clientCa: own === undefined ? bundle : `${bundle}\n${own.authority.certificate}`,
    };
  };
  const first = await readFiles();
  const certificates = openCertificates({ server, clientCa: '', ...first });
  const rootCa = server === own?.server ? own.authority.certificate : server.certificate;
  const audit = await auditOf(flags);
  const etcd = hasOwnStore(flags) ? refuseEncryption(flags) : await etcdOf(flags);
  const plane = await ControlPlane.open({
    ...(etcd ? { etcd } : compactionIntervalOf(flags)),
    folder: values.data === undefined ? undefined : join(resolve(values.data), 'store'),
    ...(values['secrets-key-file'] && { secretsKeyFile: resolve(values['secrets-key-file']) }),
    host,
    port: readPort(values['secure-port'] ?? '6443'),
    certificates,
    tls,
    http2,
    ...(await authOf(flags, certificates, rootCa)),
    flow: {
      ...numberOf(flags, 'max-requests-inflight', 'maxReadOnly'),
      ...numberOf(flags, 'max-mutating-requests-inflight', 'maxMutating'),
      isFair: values['enable-priority-and-fairness'] !== 'false',
    },
    isShardingEnabled: isGateOpen(flags, 'ShardedListAndWatch'),
    ...advertised(flags),
    disabledAdmission,
    enabledAdmission,
    ...(audit && { audit }),
    ...(own && values.controllers && controllersOf(values.controllers, own)),
    ...workersOf(flags, rootCa),
    log,
  });
  const kubeconfig = values['kubeconfig-out'];
  const writeAdmin = async ({ admin }: Credentials): Promise<void> => {
    if (kubeconfig === undefined) return;
    await writeKubeconfig(resolve(kubeconfig), { server: serverUrl(host, plane.port), authority: rootCa, admin });
  };
  if (own !== undefined) await writeAdmin(own);
  const onFailure = (error: unknown): void =>
    log.error('Cannot refresh certificates; using the old ones', { error: String(error) });
  const refresh = { clock: realClock, signal, onFailure };
  const onChange = (): void => log.info('Reloaded certificates');
  const reloading = reloadWhileRunning({ ...refresh, read: readFiles, first, certificates, onChange });
  const apply = async (renewed: Credentials): Promise<void> => {
    if (values.data !== undefined) await keepCredentials(resolve(values.data), renewed);
    await writeAdmin(renewed);
    if (given === undefined) certificates.replace({ server: await keepServingPair(flags, renewed.server) });
    log.info('Renewed certificates');
  };
  const renewing = own && renewWhileRunning({ ...refresh, credentials: own, hosts: [host], apply });
  return { plane, refreshing: Promise.all([reloading, renewing]) };
}

function openCertificates(first: CertificateSet): LiveCertificates {
  try {
    return new LiveCertificates(first);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** True when flags name every credential. Creating certificates takes longer than the rest of a start. */
function isComplete({ values }: ParsedFlags, given: KeyPair | undefined, clients: string): boolean {
  const { data, controllers, 'kubeconfig-out': kubeconfig } = values;
  return given !== undefined && clients !== '' && !data && !controllers && !kubeconfig;
}

function controllersOf(names: string, { authority }: Credentials): Pick<ControlPlaneOptions, 'controllers'> {
  return { controllers: { choices: readControllers(names), nodes: 0, authority } };
}

function hostOf({ values }: ParsedFlags): string {
  return readHost(values['bind-address'] ?? '127.0.0.1');
}

function advertised({ values }: ParsedFlags): Pick<ControlPlaneOptions, 'advertiseAddress' | 'serviceCidr'> {
  const { 'advertise-address': address, 'service-cluster-ip-range': ranges } = values;
  if (address !== undefined && isIP(address) === 0) {
    throw new UsageError(`Cannot use --advertise-address=${address}: it is not an IP address`);
  }
  for (const range of ranges?.split(',') ?? []) {
    if (parseCidr(range) !== undefined) continue;
    throw new UsageError(`Cannot use --service-cluster-ip-range=${ranges}: ${range} is not a range of addresses`);
  }
  return { ...(address !== undefined && { advertiseAddress: address }), ...(ranges && { serviceCidr: ranges }) };
}

async function ownCredentials(data: string | undefined, host: string): Promise<Credentials> {
  const options = { hosts: [host], nowMs: realClock.now() };
  return data === undefined
    ? await renewCredentials(undefined, options)
    : await openCredentials(resolve(data), options);
}

async function auditOf(flags: ParsedFlags): Promise<AuditLog | undefined> {
  const { 'audit-log-path': path, 'audit-policy-file': policyFile } = flags.values;
  const webhook = auditWebhookOf(flags);
  const mode = auditModeOf(flags);
  if (path === undefined && webhook === undefined) return undefined;
  const policy = policyFile === undefined ? undefined : await readPolicy(policyFile);
  const file = path && (await auditFileOf(flags, path, mode !== 'batch'));
  const isStrict = mode === 'blocking-strict';
  return {
    ...(file && { file }),
    ...(webhook && { webhook }),
    ...(policy ? { policy } : isStrict && { policy: STRICT_AUDIT_POLICY }),
    isStrict,
  };
}

async function auditFileOf(flags: ParsedFlags, path: string, isBlocking: boolean): Promise<AuditFile> {
  if (path === '-') throw new UsageError('Cannot use --audit-log-path=-: the audit log is written to a file');
  const { maxMegabytes = 100 } = numberOf(flags, 'audit-log-maxsize', 'maxMegabytes');
  const { maxBackups = 0 } = numberOf(flags, 'audit-log-maxbackup', 'maxBackups');
  const { maxDays = 0 } = numberOf(flags, 'audit-log-maxage', 'maxDays');
  await mkdir(join(resolve(path), '..'), { recursive: true });
  const maxBytes = (maxMegabytes || 100) * 1024 * 1024;
  return { path: resolve(path), maxBytes, maxBackups, maxAgeMs: maxDays * 24 * 3_600_000, isBlocking };
}

function auditWebhookOf(flags: ParsedFlags): WebhookLog | undefined {
  const { values } = flags;
  const kubeconfig = values['audit-webhook-config-file'];
  if (kubeconfig === undefined) return undefined;
  const wait = values['audit-webhook-batch-max-wait'];
  const backoff = values['audit-webhook-initial-backoff'];
  return {
    kubeconfig: resolve(kubeconfig),
    ...numberOf(flags, 'audit-webhook-batch-buffer-size', 'maxQueued'),
    ...numberOf(flags, 'audit-webhook-batch-max-size', 'maxBatch'),
    ...(wait && { maxWaitMs: millisecondsOf('audit-webhook-batch-max-wait', wait) }),
    ...(backoff && { initialBackoffMs: millisecondsOf('audit-webhook-initial-backoff', backoff) }),
  };
}

async function readPolicy(path: string): Promise<AuditPolicy> {
  const { parseYamlStrict } = await import('@pintle/machinery/yaml');
  try {
    return readAuditPolicy(parseYamlStrict(await readFile(path)).value);
  } catch (error) {
    throw new UsageError(`Cannot use --audit-policy-file ${path}: ${(error as Error).message}`);
  }
}

async function readOptional(path: string | undefined): Promise<string> {
  if (path === undefined) return '';
  return await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`Cannot read --client-ca-file: ${error.message}`);
  });
}

function numberOf<Name extends string>(
  { values }: ParsedFlags,
  flag: keyof typeof FLAGS,
  name: Name,
): Partial<Record<Name, number>> {
  const text = values[flag];
  if (text === undefined) return {};
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`Cannot use --${flag}=${text}: it is not a number`);
  return { [name]: Number(text) } as Record<Name, number>;
}

function durationOf({ values }: ParsedFlags): number {
  return millisecondsOf('shutdown-delay-duration', values['shutdown-delay-duration'] ?? '0s');
}

function millisecondsOf(flag: keyof typeof FLAGS, text: string): number {
  try {
    return parseDurationMs(text);
  } catch (error) {
    throw new UsageError(`Cannot use --${flag}: ${(error as Error).message}`);
  }
}

function help(): string {
  const lines = Object.entries(FLAGS).map(([name, [value, text]]) => `  ${`--${name} ${value}`.padEnd(41)} ${text}`);
  return `Usage: pintle apiserver [flags]

Run the API server with the flags of kube-apiserver. Of the flags of kube-apiserver that are not listed here, those that
protect are refused and the others are ignored.

Flags:
${lines.join('\n')}
`;
}
