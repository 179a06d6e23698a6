import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { parseTime } from '@pintle/machinery/time';
import { ClientError } from '../errors.ts';
import type { Credential, CredentialSource } from './credentials.ts';
import { Fields, headerText } from './fields.ts';
import type { ExecConfig, KubeconfigCluster } from './kubeconfig.ts';

const MAX_OUTPUT_BYTES = 1024 * 1024;

interface ExecPluginOptions {
  readonly clock: Clock;
  /** True when the plugin may prompt. Default: true when standard input is a terminal. */
  readonly hasTerminal?: boolean;
}

/**
 * Gets credentials from a program. Keeps them until they expire or the server refuses them; runs one process at a time,
 * however many requests wait for it.
 */
export class ExecPlugin implements CredentialSource {
  readonly #exec: ExecConfig;
  readonly #cluster: KubeconfigCluster;
  readonly #clock: Clock;
  readonly #hasTerminal: boolean;
  #cached: { readonly credential: Credential; readonly expiresAtMs: number } | undefined;
  #running: Promise<Credential> | undefined;

  constructor(exec: ExecConfig, cluster: KubeconfigCluster, options: ExecPluginOptions) {
    this.#exec = exec;
    this.#cluster = cluster;
    this.#clock = options.clock;
    this.#hasTerminal = options.hasTerminal ?? process.stdin.isTTY === true;
  }

  async current(): Promise<Credential> {
    if (this.#cached !== undefined && this.#clock.now() < this.#cached.expiresAtMs) return this.#cached.credential;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  async renew(refused: Credential): Promise<boolean> {
    if (this.#cached?.credential === refused) this.#cached = undefined;
    const { authorization, cert } = await this.current();
    return authorization !== refused.authorization || cert !== refused.cert;
  }

  async #run(): Promise<Credential> {
    const { interactiveMode, command } = this.#exec;
    if (interactiveMode === 'Always' && !this.#hasTerminal)
      throw pluginError(command, 'needs a terminal: interactiveMode is Always');
    const isInteractive = interactiveMode !== 'Never' && this.#hasTerminal;
    const output = await runPlugin(this.#exec, await this.#execInfo(isInteractive), isInteractive);
    this.#cached = readCredential(output, this.#exec);
    return this.#cached.credential;
  }

  async #execInfo(interactive: boolean): Promise<string> {
    const { apiVersion, provideClusterInfo } = this.#exec;
    const cluster = provideClusterInfo ? { cluster: await describeCluster(this.#cluster) } : {};
    return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { ...cluster, interactive } });
  }
}

async function describeCluster(cluster: KubeconfigCluster): Promise<object> {
  const ca = cluster.ca && ('data' in cluster.ca ? cluster.ca.data : await readFile(cluster.ca.file));
  return {
    server: cluster.server,
    ...(cluster.tlsServerName !== undefined && { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster.insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
    ...(ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(cluster.proxy !== undefined && { 'proxy-url': cluster.proxy }),
    config: cluster.execConfig ?? null,
  };
}

/** Prompts and standard error go to the terminal when there is one; otherwise the error has the end of standard error. */
function runPlugin(exec: ExecConfig, execInfo: string, isInteractive: boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = startPlugin(exec, execInfo, isInteractive);
    const output: Buffer[] = [];
    let bytes = 0;
    let stderrTail = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_OUTPUT_BYTES) output.push(chunk);
      else child.kill('SIGKILL');
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderrTail = (stderrTail + chunk).slice(-2048);
    });
    child.once('error', (cause) => reject(pluginError(exec.command, `cannot be started${hint(exec)}`, cause)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(output));
      else reject(pluginError(exec.command, `exited with ${code ?? signal}${stderrTail && `: ${stderrTail.trim()}`}`));
    });
  });
}

function startPlugin(exec: ExecConfig, execInfo: string, isInteractive: boolean): ChildProcess {
  try {
    return spawn(exec.command, exec.args, {
      env: { ...process.env, ...exec.env, KUBERNETES_EXEC_INFO: execInfo },
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', isInteractive ? 'inherit' : 'pipe'],
    });
  } catch (cause) {
    throw pluginError(exec.command, 'cannot be started', cause);
  }
}

function hint({ installHint }: ExecConfig): string {
  return installHint === undefined ? '' : ` (${installHint.trim()})`;
}

function readCredential(output: Uint8Array, { command, apiVersion }: ExecConfig) {
  const printed = parseOutput(output, command);
  if (printed.text('kind') !== 'ExecCredential' || printed.text('apiVersion') !== apiVersion)
    throw pluginError(command, `did not print an ExecCredential of ${apiVersion}`);
  const status = printed.map('status');
  const token = status?.text('token');
  const cert = status?.text('clientCertificateData');
  const key = status?.text('clientKeyData');
  if (token === undefined && cert === undefined)
    throw pluginError(command, 'printed neither a token nor a certificate');
  if ((cert === undefined) !== (key === undefined))
    throw pluginError(command, 'printed a certificate without a key, or a key without a certificate');
  const expires = status?.text('expirationTimestamp');
  const expiresAtMs = expires === undefined ? Number.POSITIVE_INFINITY : expiryOf(expires, command);
  const credential: Credential = {
    ...(token !== undefined && { authorization: headerText(`Bearer ${token}`, `token of ${command}`) }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  };
  return { credential, expiresAtMs };
}

function expiryOf(text: string, command: string): number {
  try {
    return parseTime(text);
  } catch (cause) {
    throw pluginError(command, `printed an invalid expirationTimestamp ${JSON.stringify(text)}`, cause);
  }
}

function parseOutput(output: Uint8Array, command: string): Fields {
  try {
    const value = parseJson(output, trustedLimits);
    if (isJsonObject(value)) return new Fields(value, `output of ${command}`);
  } catch (cause) {
    throw pluginError(command, 'did not print JSON', cause);
  }
  throw pluginError(command, 'did not print a JSON object');
}

function pluginError(command: string, problem: string, cause?: unknown): ClientError {
  const failure = { code: 'NoCredentials', what: `exec plugin ${command} ${problem}` } as const;
  return new ClientError(failure, cause === undefined ? {} : { cause });
}
