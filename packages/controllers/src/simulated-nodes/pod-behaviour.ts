import type { Container, Pod, Probe } from '@pintle/kinds/core/v1';
import { parseDurationMs } from '@pintle/machinery/time';
import { commandRun, probeExitCode } from './simulated-command.ts';

/**
 * How the containers of a simulated pod behave, whatever their commands say. Absent fields: containers start at once, are
 * ready, and run as long as their commands say, else until something ends them; those of a Job for a second.
 */
export interface PodBehaviour {
  readonly startAfterMs?: number;
  /** How long each run lasts. */
  readonly runForMs?: number;
  /** How long a run of a Job's container lasts when neither `runForMs` nor its command says. Default: 1 s. */
  readonly jobRunForMs?: number;
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

/** How long a run lasts when only its exit code is told. */
const TOLD_RUN_MS = 1_000;
const JOB_RUN_MS = 1_000;

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
    isImageMissing: told('image-missing') === undefined ? hasMissingImage(pod) : told('image-missing') === 'true',
  };
  return { ...withoutAbsent(behaviour), ...rule(pod) };
}

/** An image that cannot be pulled by its name: of a registry in the domain `invalid`, or with a tag that says so. */
function hasMissingImage({ spec }: Pod): boolean | undefined {
  const images = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image = '' }) => image);
  return images.some(isMissing) || undefined;
}

const MISSING_TAGS: ReadonlySet<string> = new Set(['404', 'nonexistent', 'non-existent']);

function isMissing(image: string): boolean {
  const parts = image.split('/');
  const registry = parts.length > 1 ? parts[0]!.split(':')[0]! : '';
  const tag = parts.at(-1)!.split('@')[0]!.split(':')[1] ?? '';
  return MISSING_TAGS.has(tag) || registry.split('.').includes('invalid');
}

/** One run of a container: how long it lasts, and how it ends. */
export interface ContainerRun {
  /** Infinity: until something else ends it. */
  readonly lastsMs: number;
  readonly exitCode: number;
  /** Its liveness probe ends it. */
  readonly isKilled: boolean;
}

/** Returns how a run of a container of a pod goes that was restarted so often. */
export function runOf(pod: Pod, container: Container, behaviour: PodBehaviour, restarts: number): ContainerRun {
  const unhealthyAfterMs = behaviour.unhealthyAfterMs ?? failureOf(container.livenessProbe);
  const run = ownRun(pod, container, behaviour, restarts);
  if (unhealthyAfterMs !== undefined && unhealthyAfterMs < run.lastsMs)
    return { lastsMs: unhealthyAfterMs, exitCode: 137, isKilled: true };
  return { ...run, isKilled: false };
}

/** Returns how a run of an init container goes: one whose command is not known ends at once, and well. */
export function initRunOf(container: Container): ContainerRun {
  return { lastsMs: 0, exitCode: 0, ...commandRun(container), isKilled: false };
}

/** Returns after how long a run is ready; `undefined`: never. */
export function readyAfterMsOf({ readinessProbe }: Container, behaviour: PodBehaviour): number | undefined {
  const { isReady = !isFailing(readinessProbe), readyAfterMs = 0 } = behaviour;
  return isReady ? readyAfterMs : undefined;
}

function ownRun(
  pod: Pod,
  container: Container,
  { runForMs, jobRunForMs = JOB_RUN_MS, exitCodes = [] }: PodBehaviour,
  restarts: number,
): Pick<ContainerRun, 'lastsMs' | 'exitCode'> {
  const told = exitCodes[restarts] ?? exitCodes.at(-1);
  if (runForMs !== undefined || told !== undefined) return { lastsMs: runForMs ?? TOLD_RUN_MS, exitCode: told ?? 0 };
  const isOfJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller);
  return commandRun(container) ?? { lastsMs: isOfJob ? jobRunForMs : Number.POSITIVE_INFINITY, exitCode: 0 };
}

/** A probe fails whose command is known to fail; all others succeed. */
function isFailing(probe: Probe | undefined): boolean {
  return (probeExitCode(probe?.exec?.command) ?? 0) !== 0;
}

function failureOf(probe: Probe | undefined): number | undefined {
  if (probe === undefined || !isFailing(probe)) return undefined;
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe;
  return (initialDelaySeconds + periodSeconds * failureThreshold) * 1_000;
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
