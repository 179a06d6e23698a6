import type { Pod } from '@pintle/kinds/core/v1';
import { parseDurationMs } from '@pintle/machinery/time';

/**
 * How the containers of a simulated pod behave. What is left out goes well: they start at once, are ready, and run until
 * told to stop, those of a pod that is not always restarted for a second.
 */
export interface PodBehaviour {
  readonly startAfterMs?: number;
  /** How long each run lasts. */
  readonly runForMs?: number;
  /** How the runs end, one after the other; the last goes for all that follow. Default: well. */
  readonly exitCodes?: readonly number[];
  /** Whether the readiness probe succeeds. */
  readonly isReady?: boolean;
  /** Since the start of a run. */
  readonly readyAfterMs?: number;
  /** The liveness probe fails so long after the start of a run, which ends it. */
  readonly unhealthyAfterMs?: number;
  /** How long containers take to stop; the grace period ends it. */
  readonly stopAfterMs?: number;
  /** Its images cannot be had. */
  readonly isImageMissing?: boolean;
}

/** What a test says of a pod. `undefined`, or what it leaves out: as the annotations say. */
export type PodRule = (pod: Pod) => PodBehaviour | undefined;

const DEFAULT_RUN_MS = 1_000;

/**
 * The annotations of a pod by which it says how it behaves, and the rule's word over them:
 *
 *     pintle.dev/start-after: 5s        pintle.dev/run-for: 1m             pintle.dev/exit-code: "1,1,0"
 *     pintle.dev/ready: "false"         pintle.dev/ready-after: 10s        pintle.dev/unhealthy-after: 30s
 *     pintle.dev/stop-after: 10s        pintle.dev/image-missing: "true"
 */
export function behaviourOf(pod: Pod, rule: PodRule = () => undefined): PodBehaviour {
  const { annotations = {} } = pod.metadata;
  const told = (name: string): string | undefined => annotations[`pintle.dev/${name}`];
  const behaviour = {
    startAfterMs: readDuration(told('start-after')),
    runForMs: readDuration(told('run-for')),
    exitCodes: readExitCodes(told('exit-code')),
    isReady: told('ready') === undefined ? undefined : told('ready') !== 'false',
    readyAfterMs: readDuration(told('ready-after')),
    unhealthyAfterMs: readDuration(told('unhealthy-after')),
    stopAfterMs: readDuration(told('stop-after')),
    isImageMissing: told('image-missing') === 'true' || undefined,
  };
  return { ...withoutAbsent(behaviour), ...rule(pod) };
}

/** How long a run of its containers lasts, and how it ends. `undefined`: it lasts. */
export function runOf(
  { spec }: Pod,
  behaviour: PodBehaviour,
  restarts: number,
): { readonly lastsMs: number; readonly exitCode: number; readonly isKilled: boolean } | undefined {
  const { exitCodes = [], unhealthyAfterMs } = behaviour;
  const isEndless = (spec?.restartPolicy ?? 'Always') === 'Always' && exitCodes.length === 0;
  const runForMs = behaviour.runForMs ?? (isEndless ? undefined : DEFAULT_RUN_MS);
  if (unhealthyAfterMs !== undefined && unhealthyAfterMs < (runForMs ?? Number.POSITIVE_INFINITY))
    return { lastsMs: unhealthyAfterMs, exitCode: 137, isKilled: true };
  if (runForMs === undefined) return undefined;
  return { lastsMs: runForMs, exitCode: exitCodes[restarts] ?? exitCodes.at(-1) ?? 0, isKilled: false };
}

function readDuration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseDurationMs(text);
  } catch {
    return undefined;
  }
}

function readExitCodes(text: string | undefined): number[] | undefined {
  return text?.split(',').map((code) => (/^\s*\d{1,3}\s*$/.test(code) ? Number(code) : 1));
}

function withoutAbsent<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
