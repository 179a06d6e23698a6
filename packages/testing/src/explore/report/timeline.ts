import type { TimelineEvent } from '../model/timeline.ts';
import type { TraceEntry } from '../trial/trace.ts';
import type { Outcome } from '../trial/trial.ts';

/** Most events of a picture: a page with findings stays small. The first and the last are kept. */
const MAX_EVENTS = 240;

/** Returns the writes and faults of a run, in their order. */
export function timelineOf({ entries, notes }: Outcome): TimelineEvent[] {
  const startMs = entries[0]?.atMs ?? 0;
  const writes = entries
    .filter(({ hasEffect, fault, phase }) => (hasEffect || fault !== undefined) && phase !== 'again')
    .map((entry) => ({ ...eventOf(entry), atMs: entry.atMs - startMs }));
  const said = notes.map(
    ({ atMs, note }): TimelineEvent => ({ atMs: atMs - startMs, actor: 'fault', change: 'note', text: note }),
  );
  const all = [...writes, ...said]
    .map((event, index) => ({ event, index }))
    .sort((a, b) => a.event.atMs - b.event.atMs || a.index - b.index)
    .map(({ event }) => event);
  return all.length <= MAX_EVENTS ? all : [...all.slice(0, MAX_EVENTS / 2), ...all.slice(-MAX_EVENTS / 2)];
}

function eventOf({ party, verb, object, subresource, status, hasEffect, isGone, point }: TraceEntry): TimelineEvent {
  const actor = party === 'test' ? 'user' : party === 'operator' ? 'operator' : 'controllers';
  const isRemoval = isGone || verb === 'delete' || verb === 'deletecollection';
  const change = !hasEffect ? 'refused' : isRemoval ? 'deleted' : status === 201 ? 'created' : 'changed';
  const part = subresource === '' ? '' : ` (${subresource})`;
  return { atMs: 0, actor, change, object, text: `${point}${part}` };
}
