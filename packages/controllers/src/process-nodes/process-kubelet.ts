import type { Runnable } from '@pintle/async';
import type { ContainerState, Pod, PodStatus } from '@pintle/kinds/core/v1';
import { Pod as Pods } from '@pintle/kinds/core/v1';
import { badRequestError, ignoring, isConflict, isNotFound, notFoundError } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Controller, Manager, ReconcileScope } from '@pintle/operator';
import { requestOf } from '@pintle/operator';
import { isTerminal } from '../common/pods.ts';
import { podConditions } from '../node-agent/pod-conditions.ts';
import { environmentOf, type MachineEnvironment } from './container-environment.ts';
import { ContainerLog, type LogQuery } from './container-log.ts';
import { runCommand, type Streams } from './container-process.ts';
import { OrphanedProcesses } from './orphaned-processes.ts';
import { PodProcesses } from './pod-processes.ts';

/** A container as log and exec requests name it. */
interface ContainerRef {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
}

/** Runs the commands of its nodes' pods as processes of this machine. All have exited when the manager has stopped. */
export class ProcessKubelet implements Runnable {
  readonly #manager: Manager;
  readonly #nodes: ReadonlySet<string>;
  readonly #address: string;
  readonly #machine: MachineEnvironment;
  readonly #pods = new Map<string, PodProcesses>();
  readonly #controller: Controller;
  #orphans: Promise<OrphanedProcesses> | undefined;

  constructor(
    manager: Manager,
    options: { readonly nodes: readonly string[]; readonly address: string; readonly machine: MachineEnvironment },
  ) {
    this.#manager = manager;
    this.#nodes = new Set(options.nodes);
    this.#address = options.address;
    this.#machine = options.machine;
    this.#controller = manager
      .controller(Pods, 'kubelet')
      .options({ concurrency: 100 })
      .filter(({ type, object }) => {
        if (type === 'deleted') void this.#stopPod(object.metadata.uid ?? '', 0);
        return type !== 'deleted' && this.reaches(object.spec?.nodeName ?? '');
      })
      .reconcile((pod, scope) => this.#sync(pod, scope));
    manager.add(this);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await Promise.all([...this.#pods.keys()].map((uid) => this.#stopPod(uid, 1_000)));
  }

  reaches(node: string): boolean {
    return this.#nodes.has(node);
  }

  async logs(
    ref: ContainerRef,
    { previous = false, ...query }: LogQuery & { readonly previous?: boolean },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const found = this.#find(ref);
    const process = previous ? found?.previous : found?.process;
    const log = process?.log ?? (previous ? undefined : logOfStartError(found?.state));
    if (log !== undefined) return log.read(query, signal);
    const { container, pod } = ref;
    if (previous) throw badRequestError(`previous terminated container "${container}" in pod "${pod}" not found`);
    const reason = found?.state.waiting?.reason ?? 'ContainerCreating';
    throw badRequestError(`container "${container}" in pod "${pod}" is waiting to start: ${reason}`);
  }

  async exec(ref: ContainerRef, command: readonly string[], streams: Streams): Promise<number> {
    const found = this.#find(ref);
    if (!found?.state.running || found.environment === undefined)
      throw notFoundError({ group: '', resource: 'containers' }, ref.container);
    return await runCommand(command, found.environment, streams);
  }

  async attach(ref: ContainerRef, streams: Streams): Promise<number> {
    const found = this.#find(ref);
    if (!found?.state.running || found.process === undefined)
      throw notFoundError({ group: '', resource: 'containers' }, ref.container);
    return await found.process.attach(streams);
  }

  #find({ uid, container }: ContainerRef): ReturnType<PodProcesses['find']> {
    return this.#pods.get(uid)?.find(container);
  }

  async #sync(pod: Pod, scope: ReconcileScope): Promise<void> {
    const { uid = '', deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } = pod.metadata;
    this.#orphans ??= OrphanedProcesses.find();
    const orphans = await this.#orphans;
    if (!this.#pods.has(uid)) orphans.kill(uid);
    if (deletionTimestamp !== undefined) {
      await this.#stopPod(uid, Number(grace) * 1_000);
      await scope.client.delete(Pods, pod, { gracePeriodSeconds: 0 }).catch(ignoring(isNotFound, isConflict));
      return;
    }
    if (isTerminal(pod)) return;
    const processes = this.#pods.get(uid) ?? this.#start(pod);
    await this.#report(pod, processes, scope);
  }

  #start(pod: Pod): PodProcesses {
    const { client, clock } = this.#manager;
    // Processes of a former kubelet have exited with it or were killed.
    const restarts = new Map(
      [...(pod.status?.containerStatuses ?? [])].map(({ name, restartCount = 0 }) => [name, restartCount + 1]),
    );
    const dependencies = {
      clock,
      environmentOf: (of: Pod, container: NonNullable<Pod['spec']>['containers'][number]) =>
        environmentOf(client, this.#machine, of, container),
      onChange: () => this.#controller.queue.add(requestOf(pod)),
    };
    const processes = new PodProcesses(pod, dependencies, restarts);
    this.#pods.set(pod.metadata.uid ?? '', processes);
    return processes;
  }

  async #stopPod(uid: string, graceMs: number): Promise<void> {
    const processes = this.#pods.get(uid);
    if (processes === undefined) return;
    await processes.stop(graceMs);
    this.#pods.delete(uid);
  }

  async #report(pod: Pod, processes: PodProcesses, { client, clock }: ReconcileScope): Promise<void> {
    const status = this.#statusOf(pod, processes, clock.now());
    const { conditions, ...now } = status;
    const { conditions: before = [], ...then } = pod.status ?? {};
    const areSame = conditions?.every(({ type, status: is }) =>
      before.some((each) => each.type === type && each.status === is),
    );
    if (areSame && deepEqual({ ...then, ...now }, then)) return;
    const { namespace, name = '', uid } = pod.metadata;
    await client
      .patch(
        Pods,
        { namespace, name },
        { type: 'strategic', body: { metadata: { uid }, status } },
        { subresource: 'status' },
      )
      .catch(ignoring(isNotFound, isConflict));
  }

  #statusOf(pod: Pod, processes: PodProcesses, nowMs: number): PodStatus {
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    const containerStatuses = processes.statuses(containers);
    const initContainerStatuses = processes.statuses(initContainers);
    const isInitialized = initContainerStatuses.every(({ ready }) => ready);
    const areContainersReady =
      !processes.hasEnded && [...containerStatuses, ...initContainerStatuses].every(({ ready }) => ready);
    const ended = [...initContainerStatuses, ...containerStatuses].map(({ state }) => state?.terminated?.exitCode);
    const isSucceeded = ended.every((code) => code === 0 || code === undefined);
    const hasStarted = containerStatuses.some(({ state, restartCount }) => state?.running || restartCount);
    const { generation } = pod.metadata;
    return {
      ...(generation !== undefined && { observedGeneration: generation }),
      phase: processes.hasEnded ? (isSucceeded ? 'Succeeded' : 'Failed') : hasStarted ? 'Running' : 'Pending',
      startTime: pod.status?.startTime ?? formatTime(nowMs),
      hostIP: this.#address,
      podIP: this.#address,
      podIPs: [{ ip: this.#address }],
      conditions: podConditions(pod, { isInitialized, areContainersReady, reason: 'ContainersNotReady' }, nowMs),
      containerStatuses,
      ...(initContainerStatuses.length > 0 && { initContainerStatuses }),
    };
  }
}

/** Returns the error of a container that could not be started as its log. */
function logOfStartError({ terminated }: ContainerState = {}): ContainerLog | undefined {
  if (terminated?.message === undefined) return undefined;
  const log = new ContainerLog();
  const endedMs = Date.parse(terminated.finishedAt ?? '');
  log.write(Buffer.from(`${terminated.message}\n`), endedMs);
  log.end(endedMs);
  return log;
}
