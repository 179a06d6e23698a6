import type { Printer, RowCondition } from '@pintle/machinery/rules';
import { table } from '@pintle/machinery/table';
import { formatAge } from '@pintle/machinery/time';
import type { ContainerStatus, Pod, PodStatus } from '../../../generated/core/v1.ts';
import { isSidecar } from '../../common/pod/containers.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../../common/printers.ts';

export const podPrinter: Printer<Pod> = {
  columns: [
    nameColumn,
    column('Ready'),
    column('Status'),
    column('Restarts'),
    ageColumn,
    wideColumn('IP'),
    wideColumn('Node'),
    wideColumn('Nominated Node'),
    wideColumn('Readiness Gates'),
  ],
  row: (pod, context) => {
    const { ready, total, reason, restarts, lastRestart } = summarize(pod);
    return [
      nameOf(pod),
      `${ready}/${total}`,
      reason,
      restarts !== 0 && lastRestart !== ''
        ? `${restarts} (${formatAge(lastRestart, context.nowMs)} ago)`
        : String(restarts),
      age(pod, context),
      pod.status?.podIPs?.[0]?.ip || '<none>',
      pod.spec?.nodeName || '<none>',
      pod.status?.nominatedNodeName || '<none>',
      readinessGates(pod),
    ];
  },
  conditions: ({ status }) => completions[status?.phase ?? ''] ?? [],
};

const completed = { type: 'Completed', status: 'True' } as const;

/** Marks the row of a finished Pod, so that clients can hide it. */
const completions: Readonly<Record<string, readonly RowCondition[]>> = table({
  Succeeded: [{ ...completed, reason: 'Succeeded', message: 'The pod has completed successfully.' }],
  Failed: [{ ...completed, reason: 'Failed', message: 'The pod failed.' }],
});

interface Restarts {
  restarts: number;
  /** RFC 3339; empty without restarts. */
  lastRestart: string;
}

interface Summary extends Restarts {
  ready: number;
  total: number;
  /** One word for the state of the Pod: its phase, unless a more specific reason is known. */
  reason: string;
}

function summarize(pod: Pod): Summary {
  const { spec, status = {} } = pod;
  const sidecars = new Set((spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const summary: Summary = {
    ready: 0,
    total: (spec?.containers ?? []).length + sidecars.size,
    reason: initialReason(status),
    restarts: 0,
    lastRestart: '',
  };
  const ofSidecars: Restarts = { restarts: 0, lastRestart: '' };
  const isInitializing = summarizeInit(summary, pod, sidecars, ofSidecars);
  if (!isInitializing || hasCondition(status, 'Initialized')) {
    Object.assign(summary, ofSidecars);
    summarizeRunning(summary, status);
  }
  summary.reason = finalReason(pod, summary.reason);
  return summary;
}

function initialReason(status: PodStatus): string {
  const isGated = (status.conditions ?? []).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  return isGated ? 'SchedulingGated' : status.reason || status.phase || '';
}

/** Init containers run one after another: the first that has not finished determines the reason. */
function summarizeInit(
  summary: Summary,
  { spec, status }: Pod,
  sidecars: ReadonlySet<string>,
  ofSidecars: Restarts,
): boolean {
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    addRestarts(summary, container);
    if (sidecars.has(container.name)) addRestarts(ofSidecars, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated && !terminated.exitCode) continue;
    if (sidecars.has(container.name) && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    if (terminated) summary.reason = `Init:${endOf(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${index}/${(spec?.initContainers ?? []).length}`;
    return true;
  }
  return false;
}

/** Visits containers from the last to the first, so that the reason of the first wins. */
function summarizeRunning(summary: Summary, status: PodStatus): void {
  let hasRunning = false;
  let failure = '';
  for (const container of [...(status.containerStatuses ?? [])].reverse()) {
    addRestarts(summary, container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = endOf(terminated);
      if (terminated.exitCode) failure = summary.reason;
    } else if (container.ready && running) {
      hasRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (hasRunning && hasCondition(status, 'Ready')) summary.reason = 'Running';
  else if (failure !== '') summary.reason = failure;
  else if (hasRunning) summary.reason = 'NotReady';
}

function finalReason({ metadata, status }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status?.reason === 'NodeLost') return 'Unknown';
  return status?.phase === 'Failed' || status?.phase === 'Succeeded' ? reason : 'Terminating';
}

function addRestarts(summary: Restarts, { restartCount = 0, lastState }: ContainerStatus): void {
  summary.restarts += restartCount;
  const finished = String(lastState?.terminated?.finishedAt ?? '');
  if (finished > summary.lastRestart) summary.lastRestart = finished;
}

function endOf({ reason, signal, exitCode = 0 }: { reason?: string; signal?: number; exitCode?: number }): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

function hasCondition({ conditions = [] }: PodStatus, wanted: string): boolean {
  return conditions.find(({ type }) => type === wanted)?.status === 'True';
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) => hasCondition(status ?? {}, conditionType));
  return `${open.length}/${gates.length}`;
}
