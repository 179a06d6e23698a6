import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import { webhookUrl as checkedUrl } from '@pintle/client';
import {
  checkProject,
  compileProject,
  emitProject,
  GenerateError,
  projectResources,
  readProject,
  resourcesWithoutController,
} from '@pintle/generate';
import { errorText } from '@pintle/machinery/errors';
import { Observation } from '../observe/observation.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { webhookPortIn } from '../show-line.ts';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { checkCluster, clusterEnvironment } from './cluster.ts';
import { shortErrors } from './compiler-errors.ts';
import type { StartMessage } from './operator-process.ts';
import { OperatorProcess } from './operator-process.ts';
import { type PlaneProcess, startPlane } from './plane-process.ts';
import { projectDirectory } from './project-directory.ts';
import { SourceWatcher } from './source-watcher.ts';
import { StoredVersions } from './stored-versions.ts';
import type { TelemetryRelay } from './telemetry-relay.ts';
import { WebhookFront } from './webhook-front.ts';
import { writtenWith } from './written-manifests.ts';

/** Delay before the next operator process is loaded, so that the current one starts first. */
const STANDBY_MS = 1500;

export interface RunFlags {
  /** Context of the kubeconfig. With it, or with a kubeconfig, no control plane is started. */
  readonly context?: string;
  readonly kubeconfig?: string;
  /** Records the API requests of the operator. */
  readonly observe?: boolean;
  /** Logs at debug level. */
  readonly verbose?: boolean;
  /** URL at which the API server reaches the webhooks. */
  readonly webhookUrl?: string;
  /** False: the operator serves and registers no webhooks. Default: true. */
  readonly webhooks?: boolean;
}

export interface DevFlags extends RunFlags {
  /** Port of the control plane. Default: 6443, or a free port. */
  readonly port?: number;
  readonly nodes: number;
}

/** `pintle dev`: runs a control plane and the operator, and restarts the operator when its code changes. */
export async function dev(flags: DevFlags): Promise<void> {
  const directory = projectDirectory();
  readProject(directory);
  const settings = settingsOf(flags);
  const stop = stopSignal();
  const hasCluster = flags.context !== undefined || flags.kubeconfig !== undefined;
  if (hasCluster) await checkCluster(flags);
  const plane = hasCluster ? undefined : await startPlane(directory, flags);
  const observation = flags.observe ? new Observation(directory) : undefined;
  await using front = plane && flags.webhookUrl === undefined ? await WebhookFront.open() : undefined;
  const env = {
    ...observation?.environment,
    ...(plane ? onOwnPlane(directory, plane, front) : onCluster(directory, flags)),
    // Free ports unless the environment sets them: several operators may run on this machine.
    HEALTH_PORT: process.env.HEALTH_PORT ?? '0',
    METRICS_PORT: process.env.METRICS_PORT ?? '0',
    // A webhook URL needs a port that stays.
    ...(flags.webhookUrl === undefined && { WEBHOOK_PORT: process.env.WEBHOOK_PORT ?? '0' }),
    ...settings,
  };
  const loop = new DevLoop(directory, env, { isInstalling: plane !== undefined, front, relay: plane?.relay });
  const watcher = new SourceWatcher(join(directory, 'src'), () => loop.changed());
  try {
    loop.changed();
    const isSignal = await Promise.race([stop.then(() => true), ...(plane ? [plane.ended.then(() => false)] : [])]);
    process.stdout.write(isSignal ? '\nStopping. Press Ctrl-C again to stop at once.\n' : 'Control plane exited\n');
  } finally {
    watcher[Symbol.dispose]();
    await loop.close();
    observation?.finish();
    await plane?.stop();
  }
}

/** `pintle run`: compiles the operator and runs it against the cluster of the kubeconfig. */
export async function runOperator(flags: RunFlags): Promise<void> {
  const directory = projectDirectory();
  readProject(directory);
  const settings = settingsOf(flags);
  const stop = stopSignal();
  await checkCluster(flags);
  await compileProject(directory);
  const observation = flags.observe ? new Observation(directory) : undefined;
  const env = { ...observation?.environment, ...onCluster(directory, flags), ...settings };
  const operator = new OperatorProcess(directory, env);
  operator.start();
  const code = await Promise.race([operator.exited, stop.then(() => 0)]);
  await operator.stop();
  observation?.finish();
  process.exitCode = code;
}

/** Returns the environment on a plane of the project: the operator installs its CRDs and registers webhooks there. */
function onOwnPlane(directory: string, plane: PlaneProcess, front: WebhookFront | undefined): Record<string, string> {
  return {
    KUBECONFIG: plane.kubeconfig,
    PINTLE_WEBHOOKS: front === undefined ? 'local' : `https://localhost:${front.port}`,
    ...(front && { PINTLE_WEBHOOK_CERTIFICATE: join(directory, '.pintle', 'webhook-certificate.json') }),
    PINTLE_DEFINITIONS: 'install',
    // The console gets its reports through this process.
    PINTLE_TELEMETRY: 'off',
    PINTLE_LEASE_NAMESPACE: leaseNamespace(directory),
    PINTLE_DESCRIPTIONS: descriptionsFile(directory),
  };
}

/** Returns the path of the descriptions of fields, which come from comments of the sources. */
function descriptionsFile(directory: string): string {
  return join(directory, '.pintle', 'descriptions.json');
}

/** Returns the environment on a cluster that others share: the operator does not change its CRDs. */
function onCluster(directory: string, flags: RunFlags): Record<string, string> {
  return {
    ...clusterEnvironment(directory, flags),
    PINTLE_DEFINITIONS: 'compare',
    PINTLE_LEASE_NAMESPACE: leaseNamespace(directory),
  };
}

/** Returns the namespace in which a deployed operator has its lease, so that no two operators of a project lead at once. */
function leaseNamespace(directory: string): string {
  const { namespace = `${readProject(directory).name}-system` } = writtenWith(directory);
  return namespace;
}

/** Returns the settings of one run of an operator. */
function settingsOf({ verbose, webhooks, webhookUrl }: RunFlags): Record<string, string> {
  if (webhooks === false && webhookUrl !== undefined)
    throw new UsageError('Cannot use --webhook-url with --no-webhooks: pass one of them');
  const url = webhookUrl === undefined ? undefined : checkedUrl(webhookUrl);
  if (webhookUrl !== undefined && url === undefined)
    throw new UsageError(
      `Cannot use --webhook-url ${JSON.stringify(webhookUrl)}: it is not a URL such as https://192.0.2.1:9443`,
    );
  return {
    ...(verbose && { LOG_LEVEL: 'debug' }),
    ...(webhooks === false && { PINTLE_WEBHOOKS: 'none' }),
    ...(url !== undefined && { PINTLE_WEBHOOKS: url }),
  };
}

/** True whether the operator runs or has just exited by itself. */
const ON_TYPE_ERRORS = 'Type errors (they do not stop the operator)';

/**
 * Runs the operator, and restarts it when the code changes.
 *
 *     change ► emit JavaScript ► (stored version moved: check types) ► stop the old process ► start the standby ► check types ► load another standby
 */
class DevLoop {
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  #operator: OperatorProcess | undefined;
  /** Process that has loaded the common packages and waits for its start message. */
  #standby: OperatorProcess | undefined;
  readonly #isInstalling: boolean;
  readonly #front: WebhookFront | undefined;
  readonly #relay: TelemetryRelay | undefined;
  readonly #storedVersions: StoredVersions;
  #checking = new AbortController();
  /** A restart is queued: further changes need no other one. */
  #isQueued = false;
  /** A restart works. A change that comes meanwhile often belongs to the same save, which took several steps. */
  #isRestarting = false;
  /** The compiler found errors in the code that was saved last. */
  #isBroken = false;
  /** The errors that were printed last, while the code is broken. */
  #printedErrors = '';
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  /** `isInstalling`: the operator installs its CRDs. `front`: listener for its webhooks. */
  constructor(
    directory: string,
    env: Readonly<Record<string, string>>,
    {
      isInstalling,
      front,
      relay,
    }: {
      readonly isInstalling: boolean;
      readonly front: WebhookFront | undefined;
      readonly relay: TelemetryRelay | undefined;
    },
  ) {
    this.#directory = directory;
    this.#env = env;
    this.#isInstalling = isInstalling;
    this.#front = front;
    this.#relay = relay;
    this.#storedVersions = new StoredVersions(directory);
  }

  changed(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#checking.abort();
    if (!this.#isRestarting) this.#printedErrors = '';
    this.#running = this.#running.then(async () => {
      this.#isQueued = false;
      if (this.#isClosed) return;
      this.#isRestarting = true;
      await this.#restart().catch((error: unknown) => this.#printFailure(error));
      this.#isRestarting = false;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#checking.abort();
    await this.#running;
    await Promise.all([this.#operator?.stop(), this.#standby?.stop()]);
  }

  /** Keeps the old operator while the new code has syntax errors. */
  async #restart(): Promise<void> {
    const began = performance.now();
    this.#standby ??= this.#load();
    const isFirst = this.#operator === undefined;
    const onSyntaxError = isFirst
      ? 'Syntax error: the operator starts when it is fixed'
      : 'Syntax error: the previous code keeps running';
    if (!(await this.#printErrors(emitProject(this.#directory), onSyntaxError)) || this.#isClosed) return;
    if (this.#isInstalling && !(await this.#mayInstall(this.#readResources(), isFirst))) return;
    if (this.#isClosed) return;
    const message = this.#startMessage();
    this.#front?.hold();
    await this.#operator?.stop();
    this.#operator = this.#standby;
    this.#standby = undefined;
    this.#operator.start(message);
    if (this.#relay !== undefined) {
      this.#operator.onMessage(this.#relay.fromOperator);
      this.#relay.connect(this.#operator);
    }
    void this.#printExit(this.#operator);
    const tookMs = Math.round(performance.now() - began);
    process.stdout.write(`Operator started${isFirst ? ` (${tookMs} ms)` : `, ${tookMs} ms after the change`}\n`);
    realClock.setTimer(STANDBY_MS, () => this.#prepare());
    this.#checkTypes();
  }

  /** Writes the descriptions of fields for the operator, and returns the stored versions. Sources that cannot be read stop nothing. */
  #readResources(): Readonly<Record<string, string>> {
    try {
      const { descriptions, storedVersions } = projectResources(this.#directory, readProject(this.#directory));
      writeFileSync(descriptionsFile(this.#directory), JSON.stringify(descriptions));
      return storedVersions;
    } catch (error) {
      process.stdout.write(`${terminalText(`Cannot read comments: ${errorText(error)}`)}\n`);
      return {};
    }
  }

  /**
   * True when the code may install its definitions. Code that was written for the former stored version would work on objects of
   * the new one, so a version that moved waits until all of the code compiles.
   */
  async #mayInstall(current: Readonly<Record<string, string>>, isFirst: boolean): Promise<boolean> {
    const moved = this.#storedVersions.movedTo(current);
    if (moved !== undefined) {
      const until = isFirst ? 'the operator starts when' : 'the previous code keeps running until';
      const { kind, from, to } = moved;
      const heading = `The stored version of ${kind} moved from ${from} to ${to}: ${until} these type errors are fixed`;
      this.#checking = new AbortController();
      const { signal } = this.#checking;
      try {
        if (!(await this.#printErrors(this.#check(signal), heading))) return false;
      } catch (error) {
        // The next change, which aborted the check, begins anew.
        if (signal.aborted) return false;
        throw error;
      }
    }
    this.#storedVersions.remember(current);
    return true;
  }

  #startMessage(): StartMessage {
    return {
      resourcesWithoutController: this.#isInstalling
        ? resourcesWithoutController(this.#directory, readProject(this.#directory))
        : [],
    };
  }

  async #printExit(operator: OperatorProcess): Promise<void> {
    const code = await operator.exited;
    if (operator.isStopping) return;
    this.#front?.forward(undefined);
    process.stdout.write(`Operator exited with code ${code}; it restarts when the code changes\n`);
  }

  #load(): OperatorProcess {
    return new OperatorProcess(this.#directory, this.#env, (line) => {
      const port = webhookPortIn(line);
      if (port !== undefined) this.#front?.forward(port);
    });
  }

  #prepare(): void {
    if (!this.#isClosed) this.#standby ??= this.#load();
  }

  #checkTypes(): void {
    this.#checking = new AbortController();
    const { signal } = this.#checking;
    void this.#printErrors(this.#check(signal), ON_TYPE_ERRORS).then(
      (isFine) => {
        if (!isFine || !this.#isBroken || signal.aborted) return;
        this.#isBroken = false;
        process.stdout.write('Compiles again\n');
      },
      (error: unknown) => {
        if (!signal.aborted) this.#printFailure(error);
      },
    );
  }

  async #check(signal: AbortSignal): Promise<void> {
    await checkProject(this.#directory, join(this.#directory, '.pintle', 'types.tsbuildinfo'), { signal });
  }

  /** Returns true when the code compiles; else prints the errors of the compiler below a heading. */
  async #printErrors(compiled: Promise<void>, heading: string): Promise<boolean> {
    try {
      await compiled;
      return true;
    } catch (error) {
      if (!(error instanceof GenerateError)) throw error;
      this.#isBroken = true;
      const { failure } = error;
      const text = failure.code === 'BuildFailed' ? `${heading}:\n${shortErrors(failure.output)}` : error.message;
      if (!this.#isClosed && text !== this.#printedErrors) process.stdout.write(`${terminalText(text)}\n`);
      this.#printedErrors = text;
      return false;
    }
  }

  /** The next change starts another attempt. */
  #printFailure(error: unknown): void {
    process.stdout.write(`${terminalText(`Cannot start the operator: ${errorText(error)}`)}\n`);
  }
}
