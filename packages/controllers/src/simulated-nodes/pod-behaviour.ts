import type { Container, Pod, Probe } from '@pintle/kinds/core/v1';
import { parseDurationMs } from '@pintle/machinery/time';
import { commandRun, probeExitCode } from './simulated-command.ts';

/**
 * Behaviour of a simulated pod's containers, which overrides their commands. Without fields, containers start at once,
 * are ready, and run as long as their commands do, or else for ever; those of a Job for a second.
 */
export interface PodBehaviour {
  readonly startAfterMs?: number;
  /** Duration of each run. */
  readonly runForMs?: number;
  /** Duration of a run of a Job's container when neither `runForMs` nor its command has one. Default: 1 s. */
  readonly jobRunForMs?: number;
  /** Exit codes of the runs in order; the last applies to all that follow. Default: 0. */
  readonly exitCodes?: readonly number[];
  /** Result of the readiness probe. */
  readonly isReady?: boolean;
  /** Delay from the start of a run. */
  readonly readyAfterMs?: number;
  /** Delay from the start of a run until the liveness probe fails, which ends the run. */
  readonly unhealthyAfterMs?: number;
  /** Time that containers take to stop; the grace period limits it. */
  readonly stopAfterMs?: number;
  /** The image cannot be pulled. */
  readonly isImageMissing?: boolean;
}

/** Behaviour of a pod in a test. The pod's annotations apply to absent fields. */
export type PodRule = (pod: Pod) => PodBehaviour | undefined;

/** Duration of a run of which only the exit code is given. */
const EXIT_CODE_RUN_MS = 1_000;
const JOB_RUN_MS = 1_000;

/**
 * Returns a pod's behaviour by its annotations, overridden by the rule:
 *
 *     pintle.dev/start-after: 5s        pintle.dev/run-for: 1m             pintle.dev/exit-code: "1,1,0"
 *     pintle.dev/ready: "false"         pintle.dev/ready-after: 10s        pintle.dev/unhealthy-after: 30s
 *     pintle.dev/stop-after: 10s        pintle.dev/image-missing: "true"
 */
export function behaviourOf(pod: Pod, rule: PodRule = () => undefined): PodBehaviour {
  const { annotations = {} } = pod.metadata;
  const annotated = (name: string): string | undefined => annotations[`pintle.dev/${name}`];
  const behaviour = {
    startAfterMs: readDuration(annotated('start-after')),
    runForMs: readDuration(annotated('run-for')),
    exitCodes: readExitCodes(annotated('exit-code')),
    isReady: annotated('ready') === undefined ? undefined : annotated('ready') !== 'false',
    readyAfterMs: readDuration(annotated('ready-after')),
    unhealthyAfterMs: readDuration(annotated('unhealthy-after')),
    stopAfterMs: readDuration(annotated('stop-after')),
    isImageMissing:
      annotated('image-missing') === undefined ? hasMissingImage(pod) : annotated('image-missing') === 'true',
  };
  return { ...withoutAbsent(behaviour), ...rule(pod) };
}

/**
 * True for images that cannot be pulled by name: of a registry in the domain `invalid`, or with one of the tags below.
 */
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

/** One run of a container. */
export interface ContainerRun {
  /** Infinity: until another event ends it. */
  readonly lastsMs: number;
  readonly exitCode: number;
  /** True when the liveness probe ends it. */
  readonly isKilled: boolean;
}

/** Returns the run of a container after so many restarts. */
export function runOf(pod: Pod, container: Container, behaviour: PodBehaviour, restarts: number): ContainerRun {
  const unhealthyAfterMs = behaviour.unhealthyAfterMs ?? failureOf(container.livenessProbe);
  const run = runByBehaviour(pod, container, behaviour, restarts);
  if (unhealthyAfterMs !== undefined && unhealthyAfterMs < run.lastsMs)
    return { lastsMs: unhealthyAfterMs, exitCode: 137, isKilled: true };
  return { ...run, isKilled: false };
}

/** Returns the run of an init container. One with an unknown command succeeds at once. */
export function initRunOf(container: Container): ContainerRun {
  return { lastsMs: 0, exitCode: 0, ...commandRun(container), isKilled: false };
}

/** Returns the delay until a run is ready; `undefined`: never. */
export function readyAfterMsOf({ readinessProbe }: Container, behaviour: PodBehaviour): number | undefined {
  const { isReady = !isFailing(readinessProbe), readyAfterMs = 0 } = behaviour;
  return isReady ? readyAfterMs : undefined;
}

function runByBehaviour(
  pod: Pod,
  container: Container,
  { runForMs, jobRunForMs = JOB_RUN_MS, exitCodes = [] }: PodBehaviour,
  restarts: number,
): Pick<ContainerRun, 'lastsMs' | 'exitCode'> {
  const annotated = exitCodes[restarts] ?? exitCodes.at(-1);
  if (runForMs !== undefined || annotated !== undefined)
    return { lastsMs: runForMs ?? EXIT_CODE_RUN_MS, exitCode: annotated ?? 0 };
  const isOfJob = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller);
  return commandRun(container) ?? { lastsMs: isOfJob ? jobRunForMs : Number.POSITIVE_INFINITY, exitCode: 0 };
}

/** True when the probe's command is known to fail. All other probes succeed. */
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
