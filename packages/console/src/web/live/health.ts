import type { KubeObject } from '../api/objects.ts';
import { conditionsOf, record } from '../api/objects.ts';

/** State of an object, in one word that a colour stands for. */
export type Tone = 'good' | 'busy' | 'bad' | 'ending' | 'plain';

export interface Health {
  readonly tone: Tone;
  /** A few words; empty where there is nothing to say. */
  readonly words: string;
}

const PHASES: ReadonlyMap<string, Tone> = new Map([
  ['Running', 'good'],
  ['Succeeded', 'good'],
  ['Active', 'good'],
  ['Bound', 'good'],
  ['Available', 'good'],
  ['Pending', 'busy'],
  ['Terminating', 'ending'],
  ['Failed', 'bad'],
  ['Lost', 'bad'],
]);

/** Conditions that are good when true, the most telling first, and those that are bad when true. */
const GOOD = ['Ready', 'Available', 'Established', 'Complete', 'Succeeded', 'Healthy', 'Synced'];
const BAD = ['Failed', 'ReplicaFailure', 'Stalled', 'Degraded', 'Error'];

/** Judges any object by what objects usually say of themselves: deletion, conditions, replicas, phase. */
export function healthOf(object: KubeObject): Health {
  if (object.metadata.deletionTimestamp !== undefined) return { tone: 'ending', words: 'being deleted' };
  const conditions = conditionsOf(object);
  const failing = conditions.find(({ type, status }) => BAD.includes(type) && status === 'True');
  if (failing !== undefined) return { tone: 'bad', words: failing.reason ?? failing.type };
  const status = record(object.status);
  const phase = typeof status?.phase === 'string' ? status.phase : undefined;
  if (phase === 'Succeeded' || phase === 'Failed') return { tone: PHASES.get(phase)!, words: phase };
  const crashing = waitingReason(status);
  if (crashing !== undefined) return crashing;
  const replicas = replicasOf(object);
  if (replicas !== undefined) return replicas;
  for (const type of GOOD) {
    const condition = conditions.find((each) => each.type === type);
    if (condition === undefined) continue;
    if (condition.status === 'True') return { tone: 'good', words: type };
    // A condition that is not true yet is work; one that says why it cannot be is trouble.
    const isTrouble =
      condition.status === 'False' && /fail|error|invalid|denied|backoff|notfound/i.test(condition.reason ?? '');
    return { tone: isTrouble ? 'bad' : 'busy', words: condition.reason ?? `not ${type}` };
  }
  if (phase !== undefined) return { tone: PHASES.get(phase) ?? 'plain', words: phase };
  return { tone: 'plain', words: '' };
}

function replicasOf(object: KubeObject): Health | undefined {
  const status = record(object.status);
  const wanted = record(object.spec)?.replicas ?? status?.desiredNumberScheduled;
  if (typeof wanted !== 'number' || status === undefined) return undefined;
  // A kind of one's own may have replicas and count them elsewhere, or not at all.
  const isCounted = ['replicas', 'readyReplicas', 'unavailableReplicas', 'numberReady'].some((field) =>
    Object.hasOwn(status, field),
  );
  if (!isCounted) return undefined;
  const ready = Number(status.readyReplicas ?? status.numberReady ?? 0);
  const updated = status.updatedReplicas;
  const isSettled = ready === wanted && (typeof updated !== 'number' || updated === wanted);
  return { tone: isSettled ? 'good' : 'busy', words: `${ready}/${wanted} ready` };
}

function waitingReason(status: Record<string, unknown> | undefined): Health | undefined {
  const containers = status?.containerStatuses;
  if (!Array.isArray(containers)) return undefined;
  for (const container of containers) {
    const reason = record(record(record(container)?.state)?.waiting)?.reason;
    if (typeof reason === 'string' && reason !== 'ContainerCreating' && reason !== 'PodInitializing') {
      return { tone: 'bad', words: reason };
    }
  }
  return undefined;
}

/** Returns the tone of a cell: well-known words get the colour of what they mean. */
export function toneOfCell(column: string, text: string): Tone | undefined {
  if (column === 'Ready' || column === 'Completions') {
    const match = /^(\d+)\/(\d+)$/.exec(text);
    if (match !== null) return match[1] === match[2] ? 'good' : 'busy';
  }
  if (!/^(Status|Phase|Ready|Available|Established|Reason|State)$/i.test(column)) return undefined;
  if (/^(Running|Ready|Active|Bound|Available|True|Complete|Completed|Succeeded|Healthy)$/.test(text)) return 'good';
  if (/^(Terminating)/.test(text)) return 'ending';
  if (/error|fail|backoff|notready|evicted|lost|unknown|oom/i.test(text)) return 'bad';
  if (/^(Pending|ContainerCreating|Waiting|Released|False|Progressing|PodInitializing)/.test(text)) return 'busy';
  return undefined;
}
