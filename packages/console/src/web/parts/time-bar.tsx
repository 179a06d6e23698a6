import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useNow } from '../state/look.ts';
import { adjust, atOf, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { findOldest, timeline, timeOf } from '../state/timeline.ts';
import { ageOf, clockOf, count } from '../text/words.ts';

const PROBE_MS = 60_000;
const STEP_MS = 450;
/** Playing all of history takes no more steps: a minute. */
const MAX_STEPS = 130;
const BARS = 160;

/** All of the server's history in one line: whatever is above shows the moment that is chosen here. */
export function TimeBar() {
  const known = useStore(timeline);
  const place = usePlace();
  const { query } = place;
  const at = atOf(place);
  const now = useNow();
  const track = useRef<HTMLDivElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const { oldest, newest, stamps } = known;
  const isReady = newest > 0 && oldest > 0;
  const shown = at ?? newest;

  useEffect(() => {
    if (newest === 0) return;
    void findOldest().catch(() => {});
    const timer = window.setInterval(() => void findOldest().catch(() => {}), PROBE_MS);
    return () => window.clearInterval(timer);
  }, [newest === 0, query.ns]);

  useEffect(() => {
    if (!isPlaying || at === undefined) return;
    const timer = window.setTimeout(() => moveTo(nextStamp(at)), STEP_MS);
    return () => window.clearTimeout(timer);
  }, [isPlaying, at]);

  const moveTo = (revision: number): void => {
    const current = timeline.get();
    if (revision >= current.newest) {
      setPlaying(false);
      adjust({ at: undefined });
    } else adjust({ at: `${Math.max(current.oldest, Math.round(revision))}` });
  };
  const nextStamp = (from: number): number => {
    const { stamps, oldest, newest } = timeline.get();
    const least = from + (newest - oldest) / MAX_STEPS;
    return stamps.find(({ revision }) => revision > from && revision >= least)?.revision ?? newest;
  };
  const drag = (event: PointerEvent): void => {
    const box = track.current?.getBoundingClientRect();
    if (box === undefined || !isReady) return;
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    moveTo(share > 0.995 ? newest : oldest + share * (newest - oldest));
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -50, PageDown: 50 };
    const step = steps[event.key];
    if (step !== undefined) moveTo(shown + step);
    else if (event.key === 'Home') moveTo(oldest);
    else if (event.key === 'End') moveTo(newest);
    else return;
    event.preventDefault();
  };
  const bars = useMemo(() => density(stamps, oldest, newest), [stamps, oldest, newest]);
  const share = isReady && newest > oldest ? Math.max(0, (shown - oldest) / (newest - oldest)) : 1;
  const isForgotten = isReady && shown < oldest;
  const ms = timeOf(known, shown);
  return (
    <footer className="time-bar">
      <button
        type="button"
        className="icon"
        aria-label={isPlaying ? 'Pause' : 'Play history'}
        disabled={!isReady}
        onClick={() => {
          if (!isPlaying && at === undefined) moveTo(oldest);
          setPlaying(!isPlaying);
        }}
      >
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <path className="solid" d={isPlaying ? 'M5 4h3v10H5zM10 4h3v10h-3z' : 'M6 4l8 5-8 5z'} />
        </svg>
      </button>
      <div
        ref={track}
        className="track"
        role="slider"
        tabIndex={0}
        aria-label="Revision"
        aria-valuemin={oldest}
        aria-valuemax={newest}
        aria-valuenow={shown}
        aria-valuetext={at === undefined ? 'now' : `revision ${at}`}
        onKeyDown={onKey}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setPlaying(false);
          drag(event);
        }}
        onPointerMove={(event) => event.buttons === 1 && drag(event)}
      >
        <svg className="ticks" viewBox={`0 0 ${BARS} 24`} preserveAspectRatio="none" aria-hidden="true">
          {bars.map((height, index) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
            height === 0 ? null : <rect key={index} x={index + 0.2} width={0.6} y={24 - height} height={height} />,
          )}
        </svg>
        <div className="ahead" style={{ left: `${share * 100}%` }} />
        <div className="thumb" style={{ left: `${share * 100}%` }} />
      </div>
      <div className="moment">
        <b>{count(shown)}</b>
        <span>
          {at === undefined
            ? 'now'
            : isForgotten
              ? 'forgotten'
              : ms === undefined
                ? 'then'
                : `${clockOf(ms)}, ${ageOf(now - ms)} ago`}
        </span>
      </div>
      <button type="button" className="live" disabled={at === undefined} onClick={() => moveTo(newest)}>
        Live
      </button>
    </footer>
  );
}

/** Counts the writes along the line. */
function density(stamps: readonly { readonly revision: number }[], oldest: number, newest: number): number[] {
  const bars = new Array<number>(BARS).fill(0);
  const span = Math.max(1, newest - oldest);
  for (const { revision } of stamps) {
    if (revision < oldest) continue;
    const index = Math.min(BARS - 1, Math.floor(((revision - oldest) / span) * BARS));
    bars[index]!++;
  }
  const most = Math.max(1, ...bars);
  return bars.map((each) => (each === 0 ? 0 : 4 + 16 * Math.sqrt(each / most)));
}
