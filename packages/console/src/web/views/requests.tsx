import '../styles/operators.css';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { OpenWatch, RequestRecord } from '../../protocol.ts';
import { USER_AGENT } from '../../protocol.ts';
import { telemetry } from '../live/telemetry.ts';
import { PaneHead } from '../parts/pane-head.tsx';
import { Age, Empty, Link } from '../parts/small.tsx';
import { adjust, usePlace } from '../state/router.ts';
import { ruleText } from '../text/rules.ts';
import { count, plural } from '../text/words.ts';
import { accessHref } from './access-href.ts';
import { Denied, StreamState } from './operators.tsx';

const MAX_SHOWN = 200;

/** The last requests, and who watches what. */
export default function RequestsView() {
  const { phase, requests, watches } = useSyncExternalStore(telemetry.subscribe, telemetry.get);
  const { query } = usePlace();
  const tab = query.tab === 'watches' ? 'watches' : 'requests';
  if (phase === 'denied') return <Denied />;
  return (
    <section className={`pane requests ${phase === 'lost' ? 'stale' : ''}`}>
      <PaneHead
        title="Requests"
        beside={
          <div className="tabs" role="tablist" aria-label="Traffic">
            <button
              type="button"
              role="tab"
              aria-selected={tab === 'requests'}
              onClick={() => adjust({ tab: undefined })}
            >
              Requests
            </button>
            <button
              type="button"
              role="tab"
              aria-selected={tab === 'watches'}
              onClick={() => adjust({ tab: 'watches' })}
            >
              Watches <small>{count(watches.length)}</small>
            </button>
          </div>
        }
        controls={
          <label className="check">
            <input
              type="checkbox"
              checked={query.refused === '1'}
              onChange={(event) => adjust({ refused: event.target.checked ? '1' : undefined })}
            />{' '}
            only refused
          </label>
        }
      >
        <StreamState phase={phase} />
      </PaneHead>
      {tab === 'requests' ? (
        <Requests requests={requests} filter={query.q ?? ''} isRefused={query.refused === '1'} />
      ) : (
        <Watches watches={watches} filter={query.q ?? ''} />
      )}
    </section>
  );
}

/** True for what was refused, but for the page's own questions where history begins. */
function isRefusal({ status, userAgent }: RequestRecord): boolean {
  return status >= 400 && !(status === 410 && userAgent === USER_AGENT);
}

function matches(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

interface RequestsProps {
  readonly requests: readonly RequestRecord[];
  readonly filter: string;
  readonly isRefused: boolean;
}

function Requests({ requests, filter, isRefused }: RequestsProps) {
  const [open, setOpen] = useState<RequestRecord>();
  const shown = useMemo(
    () =>
      requests
        .filter((each) => !isRefused || isRefusal(each))
        .filter((each) => matches(`${each.user} ${each.userAgent} ${each.verb} ${each.path} ${each.status}`, filter))
        .slice(-MAX_SHOWN)
        .reverse(),
    [requests, filter, isRefused],
  );
  if (shown.length === 0) return <Empty title="No requests">They appear here while this page is open.</Empty>;
  return (
    <ol className="traces" aria-label="Requests">
      {shown.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: requests have no id; the list is short.
        <li key={`${each.atMs} ${index}`} className={`trace ${each.status >= 400 ? 'error' : 'success'}`}>
          <button type="button" aria-expanded={open === each} onClick={() => setOpen(open === each ? undefined : each)}>
            <span className="when">
              <Age ms={each.atMs} />
            </span>
            <b className={each.status >= 400 ? 'problem' : ''}>{each.status}</b>
            <span className="verb">{each.verb}</span>
            <span className="object-name">{targetOf(each)}</span>
            <small className="why">{each.user || 'unauthenticated'}</small>
            <small className="took">{each.durationMs.toFixed(1)} ms</small>
          </button>
          {open === each && <RequestDetail request={each} />}
        </li>
      ))}
    </ol>
  );
}

function targetOf({ resource, group, namespace, name, path }: RequestRecord): string {
  if (resource === '') return path;
  const kind = group === '' ? resource : `${resource}.${group}`;
  return [kind, namespace && `${namespace}${name ? `/${name}` : ''}`, !namespace && name].filter(Boolean).join(' ');
}

function RequestDetail({ request }: { request: RequestRecord }) {
  const { path, userAgent, groups, message, status, isDryRun } = request;
  return (
    <div className="trace-detail">
      <p>
        <code>{path}</code>
        {isDryRun && <small> dry run</small>}
      </p>
      <p className="muted">
        {userAgent || 'no user agent'} · groups {groups.join(', ') || 'none'}
      </p>
      {message && <p className="problem">{message}</p>}
      {status === 403 && request.verb !== '' && (
        <>
          <p>This rule in a role of {request.user || 'the user'} would allow it:</p>
          <pre>{ruleText(request)}</pre>
          <p>
            <Link className="button" to={accessHref({ ...request, resource: request.resource || request.path })}>
              Who may do it
            </Link>
          </p>
        </>
      )}
    </div>
  );
}

function Watches({ watches, filter }: { watches: readonly OpenWatch[]; filter: string }) {
  const shown = watches.filter((each) =>
    matches(`${each.user} ${each.userAgent} ${each.resource} ${each.group} ${each.namespace}`, filter),
  );
  if (shown.length === 0) return <Empty title="No open watches" />;
  return (
    <ul className="traces" aria-label="Watches">
      {shown.slice(0, MAX_SHOWN).map((watch) => {
        const behind = watch.revision === 0 ? 0 : watch.storeRevision - watch.revision;
        return (
          <li key={watch.id} className={`trace watch ${behind > 0 ? 'requeue_after' : 'success'}`}>
            <div>
              <span className="when">
                <Age ms={watch.sinceMs} />
              </span>
              <b>{watch.group === '' ? watch.resource : `${watch.resource}.${watch.group}`}</b>
              <span className="object-name">
                {watch.namespace || 'all namespaces'} {watch.fieldSelector} {watch.labelSelector}
              </span>
              <small className="why">
                {watch.user} · {watch.userAgent}
              </small>
              <small>{plural(watch.sent, 'event')}</small>
              <small className="took">{behind > 0 ? `${count(behind)} revisions behind` : 'up to date'}</small>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
