import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@pintle/async';
import type { Container, ContainerState, ContainerStatus, Pod } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import { isRestarted, restartBackoffMs } from '../node-agent/restart-backoff.ts';
import { expand } from './container-environment.ts';
import { ContainerProcess, type Exit, type ProcessEnvironment } from './container-process.ts';
import { POD_UID_VARIABLE } from './orphaned-processes.ts';

interface PodDependencies {
  readonly clock: Clock;
  environmentOf(pod: Pod, container: Container): Promise<Record<string, string>>;
  /** Called when a container's state has changed. */
  onChange(): void;
}

/** A container of a pod and its processes. */
interface SupervisedContainer {
  readonly container: Container;
  state: ContainerState;
  last: ContainerState | undefined;
  restarts: number;
  process: ContainerProcess | undefined;
  previous: ContainerProcess | undefined;
  environment: ProcessEnvironment | undefined;
}

/** Processes of one pod: init containers one after another, then all containers, restarted by policy. */
export class PodProcesses {
  readonly #pod: Pod;
  readonly #dependencies: PodDependencies;
  readonly #stop = new AbortController();
  readonly #all = new Map<string, SupervisedContainer>();
  readonly #running: Promise<void>;
  #hasEnded = false;

  /** `restarts` has the restart counts of former processes, by container name. */
  constructor(pod: Pod, dependencies: PodDependencies, restarts: ReadonlyMap<string, number>) {
    this.#pod = pod;
    this.#dependencies = dependencies;
    for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])])
      this.#all.set(container.name, {
        container,
        state: { waiting: { reason: 'PodInitializing' } },
        last: undefined,
        restarts: restarts.get(container.name) ?? 0,
        process: undefined,
        previous: undefined,
        environment: undefined,
      });
    this.#running = this.#run();
  }

  /** True when all containers have ended and none is restarted. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  find(container: string): SupervisedContainer | undefined {
    return this.#all.get(container);
  }

  statuses(containers: readonly Container[]): ContainerStatus[] {
    return containers.map(({ name, image = '' }) => {
      const { state, last, restarts } = this.#all.get(name)!;
      const isInit = this.#pod.spec?.initContainers?.some((init) => init.name === name) ?? false;
      const isDone = isInit && state.terminated?.exitCode === 0;
      return {
        name,
        image,
        imageID: '',
        containerID: `process://${name}`,
        restartCount: restarts,
        ready: state.running !== undefined || isDone,
        started: state.running !== undefined,
        state,
        ...(last && { lastState: last }),
      };
    });
  }

  /** Sends SIGTERM to all processes, and SIGKILL after the grace period. Resolves when they have exited. */
  async stop(graceMs: number): Promise<void> {
    this.#stop.abort(new Error('The pod is stopped'));
    for (const { process } of this.#all.values()) process?.stop('SIGTERM');
    const timer = this.#dependencies.clock.setTimer(graceMs, () => {
      for (const { process } of this.#all.values()) process?.stop('SIGKILL');
    });
    await this.#running;
    timer.cancel();
  }

  async #run(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'pintle-pod-'));
    const sidecars: Promise<void>[] = [];
    try {
      for (const container of this.#pod.spec?.initContainers ?? []) {
        if (container.restartPolicy === 'Always') sidecars.push(this.#supervise(container, folder, 'Always'));
        else if (!(await this.#initialize(container, folder))) return;
      }
      const policy = this.#pod.spec?.restartPolicy;
      await Promise.all((this.#pod.spec?.containers ?? []).map((each) => this.#supervise(each, folder, policy)));
    } finally {
      this.#stop.abort(new Error('The pod has ended'));
      for (const { process } of this.#all.values()) process?.stop('SIGTERM');
      await Promise.all(sidecars);
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      this.#hasEnded = true;
      this.#dependencies.onChange();
    }
  }

  /** Returns whether the next container may start. */
  async #initialize(container: Container, folder: string): Promise<boolean> {
    const policy = this.#pod.spec?.restartPolicy === 'Never' ? 'Never' : 'OnFailure';
    await this.#supervise(container, folder, policy);
    return this.#all.get(container.name)!.state.terminated?.exitCode === 0;
  }

  async #supervise(container: Container, folder: string, policy: string | undefined): Promise<void> {
    const supervised = this.#all.get(container.name)!;
    for (let failures = 0; !this.#stop.signal.aborted; failures++) {
      const startedAt = formatTime(this.#dependencies.clock.now());
      const { exitCode, message } = await this.#runOnce(supervised, folder, startedAt);
      const reason = message !== undefined ? 'StartError' : exitCode === 0 ? 'Completed' : 'Error';
      const finishedAt = formatTime(this.#dependencies.clock.now());
      const terminated = { exitCode, reason, startedAt, finishedAt, ...(message && { message }) };
      if (this.#stop.signal.aborted || !isRestarted(policy, exitCode)) {
        this.#change(supervised, { terminated });
        return;
      }
      supervised.last = { terminated };
      await this.#backOff(supervised, failures);
      supervised.restarts++;
    }
  }

  async #runOnce(supervised: SupervisedContainer, folder: string, startedAt: string): Promise<Exit> {
    const { container } = supervised;
    try {
      const named = await this.#dependencies.environmentOf(this.#pod, container);
      const env = { ...named, [POD_UID_VARIABLE]: this.#pod.metadata.uid ?? '' };
      const known = new Map(Object.entries(env));
      const command = [...(container.command ?? []), ...(container.args ?? [])].map((word) => expand(word, known));
      if (!container.command?.length)
        throw new Error('Cannot start container: nodes of --kubelet process run commands, not images; set its command');
      supervised.environment = { env, folder: container.workingDir ?? folder };
      supervised.previous = supervised.process;
      supervised.process = new ContainerProcess(command, supervised.environment, this.#dependencies.clock, {
        stdin: container.stdin ?? false,
      });
    } catch (error) {
      return { exitCode: 128, message: error instanceof Error ? error.message : String(error) };
    }
    if (this.#stop.signal.aborted) supervised.process.stop('SIGTERM');
    this.#change(supervised, { running: { startedAt } });
    return await supervised.process.exited;
  }

  async #backOff(supervised: SupervisedContainer, failures: number): Promise<void> {
    const waitMs = restartBackoffMs(failures);
    const message = `back-off ${waitMs / 1_000}s restarting failed container=${supervised.container.name}`;
    this.#change(supervised, { waiting: { reason: 'CrashLoopBackOff', message } });
    await this.#dependencies.clock.sleep(waitMs, { signal: this.#stop.signal }).catch(() => undefined);
    if (this.#stop.signal.aborted) supervised.state = supervised.last!;
  }

  #change(supervised: SupervisedContainer, state: ContainerState): void {
    supervised.state = state;
    this.#dependencies.onChange();
  }
}
