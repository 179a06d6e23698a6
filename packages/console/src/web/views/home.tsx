import { useEffect, useMemo, useState } from 'react';
import { may } from '../api/access.ts';
import { type Kind, kindId, pathOf } from '../api/kinds.ts';
import type { KubeObject } from '../api/objects.ts';
import { record } from '../api/objects.ts';
import { catalog } from '../live/catalog.ts';
import { type Forest, type ForestSnapshot, forestOf, type Placed } from '../live/forest.ts';
import type { Tone } from '../live/health.ts';
import { collectionOf, useCollection } from '../live/hub.ts';
import { wholeReader } from '../live/readers.ts';
import { Age, Dot, Empty, Freshness, isStale, Link, Unreadable } from '../parts/small.tsx';
import { useNow } from '../state/look.ts';
import { atOf, hrefOf, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { count, plural } from '../text/words.ts';
import { objectHref, useAllowed } from './list.tsx';

const TONES: readonly Tone[] = ['bad', 'busy', 'ending', 'good', 'plain'];

/** Counts of kinds, objects in trouble, and the latest events. */
export function HomeView() {
  const place = usePlace();
  const { kinds } = useStore(catalog);
  const { ns } = place.query;
  const at = atOf(place);
  const forest = useMemo(() => forestOf(kinds, ns, at), [kinds, ns, at]);
  const snapshot = useSeldom(forest);
  const now = useNow(2000);
  const fleets = useMemo(() => fleetsOf(snapshot), [snapshot]);
  const wrong: Placed[] = [];
  const busy: Placed[] = [];
  for (const node of snapshot.nodes.values()) {
    if (node.health.tone === 'bad') wrong.push(node);
    else if (node.health.tone === 'busy' || node.health.tone === 'ending') busy.push(node);
  }
  if (snapshot.error !== undefined) return <Unreadable title="This moment cannot be shown" error={snapshot.error} />;
  return (
    <div className={`home ${isStale(snapshot, now) ? 'stale' : ''}`}>
      <section className="pane summary">
        <header>
          <h1>{headline(snapshot, wrong.length, busy.length)}</h1>
          <span className="spring" />
          <Freshness of={snapshot} />
        </header>
        <ul className="fleets">
          {fleets.map(({ kind, tones, total }) => (
            <li key={kindId(kind)}>
              <Link to={hrefOf(['o', kindId(kind)])}>
                <b>{count(total)}</b>
                <span>{kind.kind}</span>
                <span className="strip" aria-hidden="true">
                  {TONES.map((tone) =>
                    tones[tone] ? <i key={tone} className={tone} style={{ flexGrow: tones[tone] }} /> : null,
                  )}
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {wrong.length + busy.length > 0 && (
          <ul className="attention" aria-label="Needs attention">
            {[...wrong, ...busy].slice(0, 12).map((node) => (
              <li key={node.uid}>
                <Dot tone={node.health.tone} />
                <small>{node.kind.kind}</small>
                <Link to={objectHref(node.kind, node)}>{node.name}</Link>
                <span className="muted">{node.health.words}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
      <EventLog namespace={ns} at={at} />
    </div>
  );
}

const SELDOM_MS = 250;

/** A forest, looked at a few times a second: counts need all of its nodes. */
function useSeldom(forest: Forest): ForestSnapshot {
  const [snapshot, setSnapshot] = useState(forest.snapshot);
  useEffect(() => {
    let timer: number | undefined;
    const look = (): void => {
      timer = undefined;
      setSnapshot(forest.snapshot());
    };
    look();
    const stop = forest.subscribe(() => {
      timer ??= window.setTimeout(look, SELDOM_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [forest]);
  return snapshot;
}

function headline({ isComplete, nodes }: ForestSnapshot, wrong: number, busy: number): string {
  if (!isComplete) return 'Looking around';
  if (wrong > 0) return `${plural(wrong, 'object')} in trouble`;
  if (busy > 0) return `${plural(busy, 'object')} under way`;
  return nodes.size === 0 ? 'Nothing here yet' : 'All is well';
}

interface Fleet {
  readonly kind: Kind;
  readonly tones: Partial<Record<Tone, number>>;
  readonly total: number;
}

function fleetsOf({ nodes }: ForestSnapshot): Fleet[] {
  const fleets = new Map<string, { kind: Kind; tones: Partial<Record<Tone, number>>; total: number }>();
  for (const { kind, health, goneMs } of nodes.values()) {
    if (goneMs !== 0) continue;
    const id = kindId(kind);
    const fleet = fleets.get(id) ?? { kind, tones: {}, total: 0 };
    fleet.tones[health.tone] = (fleet.tones[health.tone] ?? 0) + 1;
    fleet.total++;
    fleets.set(id, fleet);
  }
  const weight = ({ tones }: Fleet): number => (tones.bad ? 4 : 0) + (tones.busy ? 2 : 0) + (tones.good ? 1 : 0);
  return [...fleets.values()].sort((a, b) => weight(b) - weight(a) || (a.kind.kind < b.kind.kind ? -1 : 1));
}

function EventLog({ namespace, at }: { namespace: string | undefined; at: number | undefined }) {
  const { byId } = useStore(catalog);
  const kind = byId.get('events');
  const isAllowed = useAllowed(kind ?? EVENTS, namespace);
  if (kind === undefined || !isAllowed) return null;
  return <Events path={pathOf(kind, namespace)} at={at} title="Events" />;
}

const EVENTS = { group: '', resource: 'events' };

interface EventsProps {
  readonly path: string;
  readonly at: number | undefined;
  readonly title: string;
  readonly fieldSelector?: string;
}

/** Events, the newest first. */
export function Events({ path, at, title, fieldSelector }: EventsProps) {
  const snapshot = useCollection(collectionOf('whole', { path, reader: wholeReader, at, fieldSelector }));
  const events = useMemo(
    () =>
      snapshot.items
        .map(({ object }) => ({ object, ms: eventMs(object) }))
        .sort((a, b) => b.ms - a.ms)
        .slice(0, 200),
    [snapshot.items],
  );
  return (
    <section className="pane events">
      <header>
        <h2>{title}</h2>
        <span className="spring" />
        <Freshness of={snapshot} />
      </header>
      {events.length === 0 && snapshot.isComplete ? (
        <Empty title="No events" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
        <ol tabIndex={0} aria-label={title}>
          {events.map(({ object, ms }) => {
            const about = record(object.involvedObject) ?? {};
            return (
              <li key={object.metadata.uid} className={object.type === 'Warning' ? 'warning' : ''}>
                <span className="when">
                  <Age ms={ms} />
                </span>
                <div>
                  <b>{text(object.reason)}</b>{' '}
                  <small>
                    {text(about.kind)} {text(about.name)}
                    {Number(object.count) > 1 && ` ×${count(Number(object.count))}`}
                  </small>
                  <p>{text(object.message)}</p>
                </div>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

function eventMs(event: KubeObject): number {
  const series = record(event.series)?.lastObservedTime;
  for (const time of [series, event.lastTimestamp, event.eventTime, event.metadata.creationTimestamp]) {
    const ms = Date.parse(String(time ?? ''));
    if (ms > 0) return ms;
  }
  return 0;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether the user may do something with an object. */
export function useMay(verb: string, kind: Kind, namespace: string, name?: string): boolean {
  const [isAllowed, setAllowed] = useState(false);
  useEffect(() => void may({ verb, kind, namespace, name }).then(setAllowed), [verb, kind, namespace, name]);
  return isAllowed;
}
