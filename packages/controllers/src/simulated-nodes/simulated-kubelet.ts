import type { Container, ContainerStatus, Pod, PodStatus } from '@pintle/kinds/core/v1';
import { Pod as Pods } from '@pintle/kinds/core/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatTime, parseDurationMs } from '@pintle/machinery/time';
import type { Controller, Manager, Result } from '@pintle/operator';
import { isEnded } from '../common/pods.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** Annotations of a pod by which a test says how its containers behave. */
const START_AFTER = 'pintle.dev/start-after';
const RUN_FOR = 'pintle.dev/run-for';
const EXIT_CODE = 'pintle.dev/exit-code';
const READY = 'pintle.dev/ready';
const DEFAULT_RUN_MS = 1_000;

/**
 * Takes pods of simulated nodes through their lives. Containers start at once and are ready; those of a pod that is not
 * to be restarted end after a second, well. Annotations say otherwise:
 *
 *     pintle.dev/start-after: 5s    pintle.dev/run-for: 1m    pintle.dev/exit-code: "1"    pintle.dev/ready: "false"
 */
export function addSimulatedKubelet(manager: Manager, nodes: readonly SimulatedNode[]): Controller {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const addresses = new Map<string, string>();
  let given = 0;
  const addressOf = (uid: string, subnet: string): string => {
    const known = addresses.get(uid) ?? `${subnet}.${(given++ % 253) + 2}`;
    addresses.set(uid, known);
    return known;
  };
  return manager
    .controller(Pods, 'kubelet')
    .options({ concurrency: 100 })
    .filter(({ object }) => byName.has(object.spec?.nodeName ?? ''))
    .reconcileRequests(async (request, { client, clock }) => {
      const pod = await client.find(Pods, request);
      const node = byName.get(pod?.spec?.nodeName ?? '');
      if (pod === undefined || node === undefined) return undefined;
      const { uid = '' } = pod.metadata;
      if (pod.metadata.deletionTimestamp !== undefined) {
        addresses.delete(uid);
        await client.delete(Pods, pod, { gracePeriodSeconds: 0 }).catch(ignoreGone);
        return undefined;
      }
      const next = stepOf(pod, clock.now());
      if (next.status === undefined) return next.again;
      const address = addressOf(uid, node.subnet);
      const status = { ...next.status, podIP: address, podIPs: [{ ip: address }], hostIP: '192.0.2.1' };
      const { namespace, name = '' } = pod.metadata;
      await client
        .patch(
          Pods,
          { namespace, name },
          { type: 'merge', body: { metadata: { uid }, status } },
          { subresource: 'status' },
        )
        .catch(ignoreGone);
      return next.again;
    });
}

interface Step {
  readonly status?: PodStatus;
  readonly again?: Result;
}

function stepOf(pod: Pod, nowMs: number): Step {
  if (isEnded(pod)) return {};
  const startMs = durationOf(pod, START_AFTER, 0);
  if (pod.status?.phase !== 'Running') {
    const leftMs = Date.parse(pod.metadata.creationTimestamp ?? '') + startMs - nowMs;
    if (leftMs > 0) return { again: { requeueAfterMs: leftMs } };
    const runMs = runFor(pod);
    return { status: running(pod, nowMs), ...(runMs !== undefined && { again: { requeueAfterMs: runMs } }) };
  }
  const runMs = runFor(pod);
  if (runMs === undefined) return {};
  const leftMs = Date.parse(pod.status.startTime ?? '') + runMs - nowMs;
  return leftMs > 0 ? { again: { requeueAfterMs: leftMs } } : { status: ended(pod, nowMs) };
}

/** How long its containers run; `undefined`: until they are told to stop. */
function runFor(pod: Pod): number | undefined {
  const isEndless = pod.spec?.restartPolicy === undefined || pod.spec.restartPolicy === 'Always';
  if (isEndless) return undefined;
  return durationOf(pod, RUN_FOR, DEFAULT_RUN_MS);
}

function durationOf({ metadata }: Pod, annotation: string, otherwiseMs: number): number {
  const text = metadata.annotations?.[annotation];
  if (text === undefined) return otherwiseMs;
  try {
    return parseDurationMs(text);
  } catch {
    return otherwiseMs;
  }
}

function running(pod: Pod, nowMs: number): PodStatus {
  const time = formatTime(nowMs);
  const isReady = pod.metadata.annotations?.[READY] !== 'false';
  return {
    phase: 'Running',
    startTime: time,
    conditions: conditionsOf(time, isReady),
    containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
      ...identityOf(container),
      ready: isReady,
      started: true,
      state: { running: { startedAt: time } },
    })),
  };
}

function ended(pod: Pod, nowMs: number): PodStatus {
  const text = pod.metadata.annotations?.[EXIT_CODE] ?? '0';
  const exitCode = /^\d{1,3}$/.test(text) ? Number(text) : 1;
  const time = formatTime(nowMs);
  const startedAt = pod.status?.startTime ?? time;
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: conditionsOf(time, false),
    containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
      ...identityOf(container),
      ready: false,
      started: false,
      state: { terminated: { exitCode, reason, startedAt, finishedAt: time } },
    })),
  };
}

function identityOf({
  name,
  image = '',
}: Container): Pick<ContainerStatus, 'name' | 'image' | 'imageID' | 'restartCount' | 'containerID'> {
  return { name, image, imageID: `simulated://${image}`, containerID: `simulated://${name}`, restartCount: 0 };
}

function conditionsOf(time: string, isReady: boolean): NonNullable<PodStatus['conditions']> {
  const condition = (type: string, isTrue: boolean) => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastTransitionTime: time,
  });
  return [
    condition('PodReadyToStartContainers', true),
    condition('Initialized', true),
    condition('Ready', isReady),
    condition('ContainersReady', isReady),
    condition('PodScheduled', true),
  ] as NonNullable<PodStatus['conditions']>;
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
