import type { MouseEvent, ReactNode } from 'react';
import type { ApiError } from '../api/http.ts';
import type { Phase } from '../live/collection.ts';
import type { Tone } from '../live/health.ts';
import { useNow } from '../state/look.ts';
import { go } from '../state/router.ts';
import { ageOf, count, safeLink } from '../text/words.ts';

/** A link inside the console. */
export function Link({
  to,
  children,
  ...rest
}: {
  to: string;
  children: ReactNode;
  className?: string;
  title?: string;
}) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}

export function Dot({ tone }: { tone: Tone }) {
  return <i className={`dot ${tone}`} aria-hidden="true" />;
}

export function Age({ ms }: { ms: number }) {
  const now = useNow();
  return ms === 0 ? <>–</> : <time dateTime={new Date(ms).toISOString()}>{ageOf(now - ms)}</time>;
}

interface Fresh {
  readonly phase: Phase;
  readonly revision: number;
  readonly heardMs: number;
}

/** Bookmarks come every minute: a watch that is silent for longer has lost its server. */
const SILENT_MS = 80_000;

export function isStale({ phase, heardMs }: Fresh, nowMs: number): boolean {
  return phase === 'lost' || phase === 'failed' || (phase === 'live' && nowMs - heardMs > SILENT_MS);
}

/** Shows the revision of a pane, and whether it follows. */
export function Freshness({ of }: { of: Fresh }) {
  const now = useNow(2000);
  const stale = isStale(of, now);
  const words =
    of.phase === 'loading'
      ? 'loading'
      : of.phase === 'then'
        ? 'then'
        : of.phase === 'denied'
          ? 'not allowed'
          : of.phase === 'failed'
            ? 'not shown'
            : stale
              ? `behind ${of.heardMs === 0 ? '' : ageOf(now - of.heardMs)}`.trim()
              : 'live';
  return (
    <span className={`freshness ${stale ? 'stale' : of.phase}`} role="status">
      <i aria-hidden="true" />
      {words}
      {of.revision > 0 && <b title="The revision that this shows">{count(of.revision)}</b>}
    </span>
  );
}

/** Text of an object: never markup, a link only where it is an http address. */
export function Text({ children }: { children: string }) {
  const link = safeLink(children);
  if (link === undefined) return <>{children}</>;
  return (
    <a href={link} target="_blank" rel="noopener noreferrer nofollow" className="outside">
      {children}
    </a>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <svg viewBox="0 0 120 40" aria-hidden="true">
        <path d="M0 20q10-10 20 0t20 0 20 0 20 0 20 0 20 0" />
        <path d="M0 30q10-10 20 0t20 0 20 0 20 0 20 0 20 0" />
      </svg>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
    </div>
  );
}

/** Stands where a pane has nothing to show after an error. */
export function Unreadable({ title, error }: { title: string; error: ApiError | undefined }) {
  if (error?.status !== 410) return <Empty title={title}>{error?.message}</Empty>;
  return (
    <Empty title="That moment is forgotten">
      The server has compacted its history past it. Choose a later one, or keep more with{' '}
      <code>pintle up --history</code>.
    </Empty>
  );
}

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M11 5v22M11 10h6.5a5 5 0 0 1 0 10H11" />
      <circle cx="11" cy="5" r="1.4" />
      <circle cx="11" cy="27" r="1.4" />
    </svg>
  );
}
