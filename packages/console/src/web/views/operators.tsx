import '../styles/operators.css';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { ControllerReport, OperatorReport, Reason, TraceStep } from '../../protocol.ts';
import { type OperatorTrace, type TelemetryState, telemetry } from '../live/telemetry.ts';
import { PaneHead } from '../parts/pane-head.tsx';
import { Age, Empty } from '../parts/small.tsx';
import { useNow } from '../state/look.ts';
import { adjust, usePlace } from '../state/router.ts';
import { type Finding, findingsIn, nameOf } from '../text/findings.ts';
import { count, plural } from '../text/words.ts';
import { ShardMaps } from './shards.tsx';

const MAX_SHOWN = 150;

/** Operators at work: controllers, queues, and every reconcile with its reasons, reads and writes. */
export default function OperatorsView() {
  const state = useSyncExternalStore(telemetry.subscribe, telemetry.get);
  const { query } = usePlace();
  const now = useNow(1000);
  const findings = useMemo(() => findingsIn(state.traces, now), [state.traces, now]);
  const traces = useMemo(() => chosenTraces(state, query.c, query.q ?? ''), [state, query.c, query.q]);
  if (state.phase === 'denied') return <Denied />;
  const operators = state.operators.toSorted((a, b) => Number(a.isControlPlane) - Number(b.isControlPlane));
  return (
    <section className={`pane operators ${state.phase === 'lost' ? 'stale' : ''}`}>
      <PaneHead title="Operators">
        <StreamState phase={state.phase} />
      </PaneHead>
      <Findings findings={findings} />
      <div className="operators-split">
        <div className="controllers">
          {operators.length === 0 && <p className="muted">Waiting for the first report…</p>}
          {operators.map((operator) => (
            <OperatorPane key={operator.operator} operator={operator} chosen={query.c} />
          ))}
          <ShardMaps />
        </div>
        <Traces traces={traces} chosen={query.c} />
      </div>
    </section>
  );
}

export function Denied() {
  return (
    <Empty title="You may not observe this server">
      A role grants it with the verb observe on the non-resource URL /console/stream.
    </Empty>
  );
}

export function StreamState({ phase }: Pick<TelemetryState, 'phase'>) {
  return (
    <span className={`freshness ${phase === 'lost' ? 'stale' : phase}`} role="status">
      <i aria-hidden="true" />
      {phase === 'live' ? 'live' : phase}
    </span>
  );
}

function chosenTraces({ traces }: TelemetryState, chosen: string | undefined, filter: string): OperatorTrace[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return traces
    .filter((trace) => chosen === undefined || keyOf(trace.operator, trace.controller) === chosen)
    .filter((trace) => words.every((word) => textOf(trace).includes(word)))
    .slice(-MAX_SHOWN)
    .reverse();
}

function textOf({ controller, reporter, namespace, name, outcome, reasons, error }: OperatorTrace): string {
  return [controller, reporter?.user, namespace, name, outcome, error, ...reasons.map(reasonText)]
    .join(' ')
    .toLowerCase();
}

function keyOf(operator: string, controller: string): string {
  return `${operator} ${controller}`;
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className="findings" aria-label="Findings">
      {findings.slice(0, 8).map((finding) => (
        <li
          key={`${finding.type} ${finding.operator} ${finding.controller} ${finding.object}`}
          className={finding.type}
        >
          <button type="button" onClick={() => adjust({ c: keyOf(finding.operator, finding.controller) })}>
            {finding.sentence}
          </button>
        </li>
      ))}
    </ul>
  );
}

function OperatorPane({ operator, chosen }: { operator: OperatorReport; chosen: string | undefined }) {
  const busy = operator.controllers.filter(({ ready, delayed, active }) => ready + delayed + active > 0);
  const [isAll, setAll] = useState(!operator.isControlPlane);
  const shown = isAll ? operator.controllers : busy;
  const behind = operator.caches.filter(({ isSynced, isFailing }) => !isSynced || isFailing);
  return (
    <section
      className={`operator ${operator.reporter ? 'reported' : ''} ${operator.isSilent ? 'silent' : ''}`}
      aria-label={operator.name}
    >
      <h2>
        {operator.isControlPlane ? 'Built-in controllers' : operator.name}
        <small>
          {whereOf(operator)}
          {operator.isLeader ? '' : ' · standby'}
          {operator.isSilent && <b className="problem"> · silent</b>}
        </small>
      </h2>
      <ul>
        {shown.map((controller) => (
          <ControllerRow
            key={controller.name}
            controller={controller}
            id={keyOf(operator.operator, controller.name)}
            isChosen={chosen === keyOf(operator.operator, controller.name)}
          />
        ))}
      </ul>
      {operator.isControlPlane && (
        <button type="button" className="more" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Only busy controllers' : `All ${count(operator.controllers.length)} controllers`}
        </button>
      )}
      <details>
        <summary>
          {plural(operator.caches.length, 'cache')}
          {behind.length > 0 && <b className="problem"> {plural(behind.length, 'cache')} not following</b>}
        </summary>
        <ul className="caches">
          {operator.caches.map(({ resource, revision, isSynced, isFailing, silentMs }) => (
            <li key={resource}>
              <span>{resource}</span>
              <b>{revision}</b>
              <small>
                {isFailing ? 'failing' : isSynced ? `heard ${Math.round(silentMs / 1000)} s ago` : 'not synced'}
              </small>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

/** Where an operator runs, and who says so. */
function whereOf({ pid, reporter }: OperatorReport): string {
  if (reporter === undefined) return `process ${pid}`;
  const { user, pod, host } = reporter;
  const where = pod !== undefined ? ` · pod ${pod}` : host !== undefined ? ` · says it is on ${host}` : '';
  return `reported by ${user}${where}`;
}

function ControllerRow({
  controller: { name, ready, delayed, active, queue },
  id,
  isChosen,
}: {
  controller: ControllerReport;
  id: string;
  isChosen: boolean;
}) {
  return (
    <li className={isChosen ? 'here' : ''}>
      <button type="button" aria-pressed={isChosen} onClick={() => adjust({ c: isChosen ? undefined : id })}>
        <b>{name}</b>
        <span className={active > 0 ? 'busy' : ''}>{count(active)} active</span>
        <span>{count(ready)} ready</span>
        <span>{count(delayed)} delayed</span>
      </button>
      {isChosen && queue.length > 0 && (
        <ol className="queue" aria-label={`Queue of ${name}`}>
          {queue.slice(0, 20).map((item) => (
            <li key={nameOf(item)}>
              <span>{nameOf(item)}</span>
              <small>
                {item.dueInMs === undefined ? item.state : `due in ${(item.dueInMs / 1000).toFixed(1)} s`}
                {item.failures > 0 && ` · ${plural(item.failures, 'retry', 'retries')}`}
              </small>
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}

function Traces({ traces, chosen }: { traces: readonly OperatorTrace[]; chosen: string | undefined }) {
  const [open, setOpen] = useState<string>();
  if (traces.length === 0) {
    return (
      <div className="traces">
        <Empty title="No reconciles yet">
          {chosen === undefined
            ? 'Reconciles appear here while this page is open.'
            : 'This controller has not reconciled since the page was opened.'}
        </Empty>
      </div>
    );
  }
  return (
    <ol className="traces" aria-label="Reconciles">
      {traces.map((trace) => {
        const key = `${trace.operator} ${trace.id}`;
        const isOpen = open === key;
        return (
          <li key={key} className={`trace ${trace.outcome ?? 'running'}`}>
            <button type="button" aria-expanded={isOpen} onClick={() => setOpen(isOpen ? undefined : key)}>
              <span className="when">
                <Age ms={trace.startedMs} />
              </span>
              <b>
                {trace.controller}
                {trace.reporter && <small className="by"> {trace.reporter.user}</small>}
              </b>
              <span className="object-name">{nameOf(trace)}</span>
              <small className="why">{summaryOf(trace.reasons)}</small>
              <small className="did">{writesOf(trace.steps)}</small>
              <small className="took">
                {trace.durationMs === undefined
                  ? 'running'
                  : `${trace.durationMs.toFixed(trace.durationMs < 10 ? 1 : 0)} ms`}
              </small>
            </button>
            {isOpen && <TraceDetail trace={trace} />}
          </li>
        );
      })}
    </ol>
  );
}

function TraceDetail({ trace }: { trace: OperatorTrace }) {
  return (
    <div className="trace-detail">
      <ol>
        {trace.reasons.map((reason, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: reasons are an ordered list that does not change.
          <li key={`reason ${index}`} className="reason">
            <i>why</i>
            <span>{reasonText(reason)}</span>
          </li>
        ))}
        {trace.steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added.
          <li key={`step ${index}`} className={step.type === 'read' ? 'read' : `write ${step.outcome}`}>
            <i>{step.type}</i>
            <span>{stepText(step)}</span>
            <small>{step.atMs.toFixed(1)} ms</small>
          </li>
        ))}
        {trace.omittedSteps > 0 && <li className="muted">{plural(trace.omittedSteps, 'more step')}</li>}
        <li className={`result ${trace.outcome ?? 'running'}`}>
          <i>result</i>
          <span>{resultText(trace)}</span>
        </li>
      </ol>
    </div>
  );
}

function summaryOf(reasons: readonly Reason[]): string {
  const [first] = reasons;
  if (first === undefined) return '';
  return reasons.length === 1
    ? reasonText(first)
    : `${reasonText(first)} and ${plural(reasons.length - 1, 'more', 'more')}`;
}

function reasonText({ cause, kind, namespace, name, isInitial }: Reason): string {
  switch (cause) {
    case 'added':
    case 'updated':
    case 'deleted':
      return `${kind} ${nameOf({ namespace, name: name ?? '' })} ${isInitial ? 'was there at the start' : `was ${cause}`}`;
    case 'kind-served':
      return `${kind} is served now`;
    case 'kind-gone':
      return `${kind} is not served any more`;
    case 'requeued':
      return 'the last run asked for it';
    case 'retried':
      return 'the last run failed';
    default:
      return 'an external source';
  }
}

function writesOf(steps: readonly TraceStep[]): string {
  const outcomes = new Map<string, number>();
  for (const { outcome } of steps) if (outcome !== undefined) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  return [...outcomes].map(([outcome, number]) => `${number} ${outcome}`).join(', ');
}

function stepText({
  type,
  resource,
  namespace,
  name,
  from,
  found,
  revision,
  verb,
  outcome,
  status,
}: TraceStep): string {
  const at = revision === undefined || revision === '' ? '' : ` at revision ${revision}`;
  const target = name === undefined ? resource : `${resource} ${nameOf({ namespace, name })}`;
  if (type === 'read') {
    const where = `from the ${from}${at}`;
    if (name === undefined)
      return `${target}${namespace ? ` in ${namespace}` : ''}: ${plural(found ?? 0, 'object')} ${where}`;
    return `${target} ${where}${found === 0 ? ': not found' : ''}`;
  }
  if (outcome === 'suppressed') return `${verb} ${target}: not sent, nothing would change`;
  if (outcome === 'sent') return `${verb} ${target}: sent${at}`;
  return `${verb} ${target}: ${outcome}${status === undefined ? '' : ` (${status})`}`;
}

function resultText({ outcome, error, requeueAfterMs, failures }: OperatorTrace): string {
  if (outcome === undefined) return 'still running';
  if (outcome === 'error') return `failed${failures > 0 ? ` again (${failures + 1} times)` : ''}: ${error ?? ''}`;
  return requeueAfterMs === undefined ? 'success' : `success; runs again in ${(requeueAfterMs / 1000).toFixed(1)} s`;
}
