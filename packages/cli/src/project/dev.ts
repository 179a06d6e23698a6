import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import { webhookUrl as checkedUrl } from '@pintle/client';
import {
  checkProject,
  compileProject,
  definedApart,
  emitProject,
  GenerateError,
  projectDescriptions,
  readProject,
} from '@pintle/generate';
import { errorText } from '@pintle/machinery/errors';
import { Observation } from '../observe/observation.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { checkCluster, clusterEnvironment } from './cluster.ts';
import type { StartMessage } from './operator-process.ts';
import { OperatorProcess } from './operator-process.ts';
import { type PlaneProcess, startPlane } from './plane-process.ts';
import { showLine, webhookPortIn } from './show-line.ts';
import { SourceWatcher } from './source-watcher.ts';
import { WebhookFront } from './webhook-front.ts';
import { writtenWith } from './written-manifests.ts';

/** The next operator is made ready when the one before is at work. */
const STANDBY_MS = 1500;

export interface RunFlags {
  /** A context of the kubeconfig: a cluster that is there, in the place of one that is started. */
  readonly context?: string;
  readonly kubeconfig?: string;
  /** What the operator does is written down. */
  readonly observe?: boolean;
  /** The operator tells details too. */
  readonly verbose?: boolean;
  /** Where the API server reaches the webhooks. */
  readonly webhookUrl?: string;
  /** False: the operator serves and registers none. Default: true. */
  readonly webhooks?: boolean;
}

export interface DevFlags extends RunFlags {
  /** Of the control plane. Default: 6443, or one that is free. */
  readonly port?: number;
  readonly nodes: number;
}

/** `pintle dev`: a control plane, the operator on it, and the operator anew whenever its code changes. */
export async function dev(flags: DevFlags): Promise<void> {
  const directory = process.cwd();
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
    // Ports that are free, unless somebody says which: several operators may run here.
    HEALTH_PORT: process.env.HEALTH_PORT ?? '0',
    METRICS_PORT: process.env.METRICS_PORT ?? '0',
    // Whoever says where the webhooks are reached needs them at a port that stays.
    ...(flags.webhookUrl === undefined && { WEBHOOK_PORT: process.env.WEBHOOK_PORT ?? '0' }),
    ...settings,
  };
  const loop = new DevLoop(directory, env, { isInstalling: plane !== undefined, front });
  const watcher = new SourceWatcher(join(directory, 'src'), () => loop.changed());
  try {
    loop.changed();
    const isTold = await Promise.race([stop.then(() => true), ...(plane ? [plane.ended.then(() => false)] : [])]);
    process.stdout.write(isTold ? '\nStopping. Ctrl-C again stops at once.\n' : 'Control plane ended\n');
  } finally {
    watcher[Symbol.dispose]();
    await loop.close();
    observation?.finish();
    await plane?.stop();
  }
}

/** `pintle run`: the operator, compiled and run once, against the cluster of the kubeconfig. */
export async function runOperator(flags: RunFlags): Promise<void> {
  const directory = process.cwd();
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

/** A plane that was started for the project holds what its code says, and nobody else asks its webhooks. */
function onOwnPlane(directory: string, plane: PlaneProcess, front: WebhookFront | undefined): Record<string, string> {
  return {
    KUBECONFIG: plane.kubeconfig,
    PINTLE_WEBHOOKS: front === undefined ? 'local' : `https://localhost:${front.port}`,
    ...(front && { PINTLE_WEBHOOK_CERTIFICATE: join(directory, '.pintle', 'webhook-certificate.json') }),
    PINTLE_DEFINITIONS: 'install',
    PINTLE_DESCRIPTIONS: descriptionsFile(directory),
  };
}

/** Where an operator finds what the comments of its sources say: it does not have them itself. */
function descriptionsFile(directory: string): string {
  return join(directory, '.pintle', 'descriptions.json');
}

/**
 * On a cluster that others use too, people decide when definitions change, and an operator that is deployed there competes
 * for the same lease.
 */
function onCluster(directory: string, flags: RunFlags): Record<string, string> {
  const { namespace = `${readProject(directory).name}-system` } = writtenWith(directory);
  return {
    ...clusterEnvironment(directory, flags),
    PINTLE_DEFINITIONS: 'compare',
    PINTLE_LEASE_NAMESPACE: namespace,
  };
}

/** Returns the settings of one run of an operator. */
function settingsOf({ verbose, webhooks, webhookUrl }: RunFlags): Record<string, string> {
  if (webhooks === false && webhookUrl !== undefined) throw new UsageError('Say --webhook-url or --no-webhooks');
  const url = webhookUrl === undefined ? undefined : checkedUrl(webhookUrl);
  if (webhookUrl !== undefined && url === undefined)
    throw new UsageError(`${JSON.stringify(webhookUrl)} is no URL of webhooks, such as https://192.0.2.1:9443`);
  return {
    ...(verbose && { LOG_LEVEL: 'debug' }),
    ...(webhooks === false && { PINTLE_WEBHOOKS: 'none' }),
    ...(url !== undefined && { PINTLE_WEBHOOKS: url }),
  };
}

const ON_TYPE_ERRORS = 'Type errors (the operator runs all the same)';
const ON_TYPE_ERRORS_AFTER_END = 'Type errors';

/**
 * Runs the operator, and runs it anew whenever the code changes.
 *
 *     change ► write JavaScript ► stop the old ► start the one that waits ► look at the types ► have another wait
 */
class DevLoop {
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  #operator: OperatorProcess | undefined;
  /** Loaded, and waiting for code to run. */
  #standby: OperatorProcess | undefined;
  readonly #isInstalling: boolean;
  readonly #front: WebhookFront | undefined;
  #checking = new AbortController();
  /** Several changes while the operator restarts are one to the next restart. */
  #isWaiting = false;
  /** Whether the compiler complained about the code that was saved last. */
  #isBroken = false;
  /** Whether the operator ended by itself. */
  #hasEnded = false;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  /** `isInstalling`: whether definitions come with the operator; `front`: where its webhooks are asked. */
  constructor(
    directory: string,
    env: Readonly<Record<string, string>>,
    { isInstalling, front }: { readonly isInstalling: boolean; readonly front: WebhookFront | undefined },
  ) {
    this.#directory = directory;
    this.#env = env;
    this.#isInstalling = isInstalling;
    this.#front = front;
  }

  changed(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#checking.abort();
    this.#running = this.#running.then(async () => {
      this.#isWaiting = false;
      if (!this.#isClosed) await this.#restart().catch((error: unknown) => this.#complain(error));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#checking.abort();
    await this.#running;
    await Promise.all([this.#operator?.stop(), this.#standby?.stop()]);
  }

  /** The old operator goes on while the new code cannot be read. */
  async #restart(): Promise<void> {
    const began = performance.now();
    this.#standby ??= this.#load();
    const isFirst = this.#operator === undefined;
    const onSyntaxError = isFirst
      ? 'Syntax error: the operator starts once it is mended'
      : 'Syntax error: the code before goes on running';
    if (!(await this.#tell(emitProject(this.#directory), () => onSyntaxError)) || this.#isClosed) return;
    if (this.#isInstalling) this.#writeDescriptions();
    const message = this.#startMessage();
    this.#front?.hold();
    await this.#operator?.stop();
    this.#operator = this.#standby;
    this.#standby = undefined;
    this.#hasEnded = false;
    this.#operator.start(message);
    void this.#tellOfEnd(this.#operator);
    const tookMs = Math.round(performance.now() - began);
    process.stdout.write(`Operator started${isFirst ? ` (${tookMs} ms)` : `, ${tookMs} ms after the change`}\n`);
    realClock.setTimer(STANDBY_MS, () => this.#prepare());
    this.#checkTypes();
  }

  /** Comments that cannot be read are no reason not to run the code. */
  #writeDescriptions(): void {
    try {
      const descriptions = projectDescriptions(this.#directory, readProject(this.#directory));
      writeFileSync(descriptionsFile(this.#directory), JSON.stringify(descriptions));
    } catch (error) {
      process.stdout.write(`${terminalText(`Could not read comments: ${errorText(error)}`)}\n`);
    }
  }

  #startMessage(): StartMessage {
    return { definedApart: this.#isInstalling ? definedApart(this.#directory, readProject(this.#directory)) : [] };
  }

  async #tellOfEnd(operator: OperatorProcess): Promise<void> {
    const code = await operator.exited;
    if (operator.isStopping) return;
    if (operator === this.#operator) this.#hasEnded = true;
    this.#front?.forward(undefined);
    process.stdout.write(`Operator ended with code ${code}: it starts again when the code changes\n`);
  }

  #load(): OperatorProcess {
    return new OperatorProcess(this.#directory, this.#env, (line) => {
      showLine(line);
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
    const remembered = join(this.#directory, '.pintle', 'types.tsbuildinfo');
    const meaning = () => (this.#hasEnded ? ON_TYPE_ERRORS_AFTER_END : ON_TYPE_ERRORS);
    void this.#tell(checkProject(this.#directory, remembered, { signal }), meaning).then(
      (isFine) => {
        if (!isFine || !this.#isBroken || signal.aborted) return;
        this.#isBroken = false;
        process.stdout.write('Compiles again\n');
      },
      (error: unknown) => {
        if (!signal.aborted) this.#complain(error);
      },
    );
  }

  /** Returns whether the compiler is content; if not, people see why, below what it means for the operator. */
  async #tell(compiled: Promise<void>, meaning: () => string): Promise<boolean> {
    try {
      await compiled;
      return true;
    } catch (error) {
      if (!(error instanceof GenerateError)) throw error;
      this.#isBroken = true;
      const { failure } = error;
      const words = failure.code === 'BuildFailed' ? `${meaning()}:\n${failure.output}` : error.message;
      if (!this.#isClosed) process.stdout.write(`${terminalText(words)}\n`);
      return false;
    }
  }

  /** Whatever goes wrong, the next change is another try. */
  #complain(error: unknown): void {
    process.stdout.write(`${terminalText(`Could not start the operator: ${errorText(error)}`)}\n`);
  }
}
