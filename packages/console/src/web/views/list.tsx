import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { may } from '../api/access.ts';
import { apiVersionOf, type Kind, kindId, pathOf } from '../api/kinds.ts';
import type { Column, Snapshot } from '../live/collection.ts';
import { toneOfCell } from '../live/health.ts';
import { collectionOf, useCollection } from '../live/hub.ts';
import { type Row, tableReader } from '../live/readers.ts';
import { PaneHead } from '../parts/pane-head.tsx';
import { Dot, Empty, Freshness, isStale, Link, Unreadable } from '../parts/small.tsx';
import { useNow } from '../state/look.ts';
import { adjust, atOf, go, hrefOf, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { timeline, timeOf } from '../state/timeline.ts';
import { ageOf, count } from '../text/words.ts';

const ROW = 34;
const FLASH_MS = 1500;

/** All objects of a kind, live, in the columns that kubectl prints. */
export function ListView({ kind }: { kind: Kind }) {
  const place = usePlace();
  const namespace = kind.isNamespaced ? place.query.ns : undefined;
  const isAllowed = useAllowed(kind, namespace);
  if (isAllowed === undefined) return <div className="loading" />;
  if (!isAllowed) {
    return (
      <Empty title={`You may not list ${kind.resource}${namespace ? ` in ${namespace}` : ' in all namespaces'}`}>
        {namespace === undefined && kind.isNamespaced
          ? 'Choose a namespace above.'
          : 'Ask an administrator for a role.'}
      </Empty>
    );
  }
  return <Rows kind={kind} namespace={namespace} at={atOf(place)} />;
}

export function useAllowed(kind: Pick<Kind, 'group' | 'resource'>, namespace: string | undefined): boolean | undefined {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly isAllowed: boolean }>();
  const key = `${kindId(kind)} ${namespace}`;
  useEffect(() => {
    let isCurrent = true;
    void may({ verb: 'list', kind, namespace }).then((isAllowed) => isCurrent && setAnswer({ key, isAllowed }));
    return () => {
      isCurrent = false;
    };
  }, [key, kind, namespace]);
  return answer?.key === key ? answer.isAllowed : undefined;
}

function Rows({ kind, namespace, at }: { kind: Kind; namespace: string | undefined; at: number | undefined }) {
  const { query } = usePlace();
  const now = useNow();
  const known = useStore(timeline);
  // Ages are those of the moment that is shown.
  const moment = at === undefined ? now : (timeOf(known, at) ?? now);
  const collection = collectionOf('table', {
    path: pathOf(kind, namespace),
    reader: tableReader,
    at,
    canWatch: kind.verbs.has('watch'),
  });
  const snapshot = useCollection(collection);
  const filter = useDeferredValue(query.q ?? '');
  const columns = useMemo(() => shownColumns(snapshot.columns), [snapshot.columns]);
  const rows = useMemo(() => arranged(snapshot, filter, query.sort, columns), [snapshot, filter, query.sort, columns]);
  const isWide = kind.isNamespaced && namespace === undefined;
  const widths = useMemo(() => widthsOf(rows, columns, isWide), [rows.length > 0, columns, isWide]);
  const body = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState(-1);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setCursor(next);
    virtual.scrollToIndex(next);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'j') move(cursor + 1);
    else if (event.key === 'ArrowUp' || event.key === 'k') move(cursor - 1);
    else if (event.key === 'PageDown') move(cursor + 20);
    else if (event.key === 'PageUp') move(cursor - 20);
    else if (event.key === 'Enter' && rows[cursor] !== undefined) go(objectHref(kind, rows[cursor]));
    else return;
    event.preventDefault();
  };
  const stale = isStale(snapshot, now);
  return (
    <section className={`pane list ${stale ? 'stale' : ''}`}>
      <PaneHead
        title={kind.kind}
        beside={<span className="muted version">{apiVersionOf(kind)}</span>}
        onFilterKey={({ key }) => (key === 'ArrowDown' || key === 'Enter') && body.current?.focus()}
      >
        <span className="muted tally">
          {filter === '' ? count(snapshot.items.length) : `${count(rows.length)} of ${count(snapshot.items.length)}`}
          {!snapshot.isComplete && '…'}
        </span>
        <Freshness of={snapshot} />
        {kind.verbs.has('create') && at === undefined && (
          <Link to={hrefOf(['create', kindId(kind)])} className="button">
            New
          </Link>
        )}
      </PaneHead>
      {snapshot.phase === 'failed' ? (
        <Unreadable title="This list cannot be shown" error={snapshot.error} />
      ) : rows.length === 0 && snapshot.isComplete ? (
        <Empty title={filter === '' ? `No ${kind.resource}${at === undefined ? '' : ' then'}` : 'Nothing matches'} />
      ) : (
        <div
          className="grid"
          ref={body}
          role="grid"
          aria-label={kind.kind}
          aria-rowcount={rows.length + 1}
          tabIndex={0}
          onKeyDown={onKey}
        >
          <div
            className="grid-head"
            role="row"
            tabIndex={-1}
            style={{ gridTemplateColumns: widths.columns, minWidth: widths.least }}
          >
            {isWide && <Head name="Namespace" index={-1} sort={query.sort} />}
            {columns.map(({ column, index }) => (
              <Head key={column.name} name={column.name} index={index} sort={query.sort} title={column.description} />
            ))}
          </div>
          <div className="grid-body" role="rowgroup" style={{ height: virtual.getTotalSize(), minWidth: widths.least }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const row = rows[index]!;
              return (
                <RowView
                  key={row.key}
                  kind={kind}
                  row={row}
                  index={index}
                  start={start}
                  columns={columns}
                  template={widths.columns}
                  isWide={isWide}
                  isSelected={index === cursor}
                  isNew={row.changedMs > 0 && now - row.changedMs < FLASH_MS}
                  moment={moment}
                />
              );
            })}
          </div>
        </div>
      )}
    </section>
  );
}

interface RowProps {
  readonly kind: Kind;
  readonly row: Row;
  readonly index: number;
  readonly start: number;
  readonly columns: readonly ShownColumn[];
  readonly template: string;
  readonly isWide: boolean;
  readonly isSelected: boolean;
  readonly isNew: boolean;
  readonly moment: number;
}

/** Rendered when its row changed, and with each second, which makes it older. */
const RowView = memo(function RowView({ kind, row, index, start, columns, template, isWide, ...rest }: RowProps) {
  const { isSelected, isNew, moment } = rest;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the grid.
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={`row ${isNew ? `flash-${row.revision % 2}` : ''} ${row.isDeleting ? 'ending' : ''}`}
      style={{ transform: `translateY(${start}px)`, gridTemplateColumns: template }}
      onClick={(event) => (event.target as HTMLElement).closest('a') === null && go(objectHref(kind, row))}
    >
      {isWide && (
        <span role="gridcell" tabIndex={-1} className="muted">
          {row.namespace}
        </span>
      )}
      {columns.map(({ column, index: cell }) => (
        <Cell key={column.name} kind={kind} column={column} row={row} text={row.cells[cell] ?? ''} now={moment} />
      ))}
    </div>
  );
});

export function objectHref(kind: Kind, { namespace, name }: { namespace: string; name: string }, query = {}): string {
  return hrefOf(['o', kindId(kind), namespace || '_', name], query);
}

function Head({ name, index, sort, title }: { name: string; index: number; sort: string | undefined; title?: string }) {
  const isUp = sort === `${index}`;
  const isDown = sort === `-${index}`;
  return (
    <span
      role="columnheader"
      tabIndex={-1}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}
      title={title}
    >
      <button type="button" onClick={() => adjust({ sort: isUp ? `-${index}` : isDown ? undefined : `${index}` })}>
        {name}
        {isUp ? ' ↑' : isDown ? ' ↓' : ''}
      </button>
    </span>
  );
}

interface CellProps {
  readonly kind: Kind;
  readonly column: Column;
  readonly row: Row;
  readonly text: string;
  readonly now: number;
}

function Cell({ kind, column, row, text, now }: CellProps) {
  if (column.name === 'Name') {
    return (
      <span role="gridcell" tabIndex={-1} className="name">
        <Link to={objectHref(kind, row)}>{row.name}</Link>
      </span>
    );
  }
  // The server wrote the age when it wrote the row.
  const isAge = column.name === 'Age' && row.createdMs > 0;
  // A completed pod is not ready, and need not be.
  const tone = row.cells.includes('Completed') && column.name === 'Ready' ? undefined : toneOfCell(column.name, text);
  return (
    <span role="gridcell" tabIndex={-1} title={text} className={isAge || /^-?\d+$/.test(text) ? 'number' : ''}>
      {tone && <Dot tone={tone} />}
      {isAge ? ageOf(now - row.createdMs) : text}
    </span>
  );
}

interface ShownColumn {
  readonly column: Column;
  readonly index: number;
}

function shownColumns(columns: readonly Column[]): ShownColumn[] {
  return columns.map((column, index) => ({ column, index })).filter(({ column }) => column.priority === 0);
}

function arranged(
  snapshot: Snapshot<Row>,
  filter: string,
  sort: string | undefined,
  columns: readonly ShownColumn[],
): readonly Row[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found =
    words.length === 0
      ? snapshot.items
      : snapshot.items.filter(({ text }) => words.every((word) => text.includes(word)));
  const match = /^(-?)(-?\d+)$/.exec(sort ?? '');
  if (match === null) return found;
  const index = Number(sort === '-1' ? -1 : match[2]);
  const sign = match[1] === '-' && sort !== '-1' ? -1 : 1;
  const isAge = columns.find((each) => each.index === index)?.column.name === 'Age';
  return found.slice().sort((a, b) => {
    if (isAge) return sign * (b.createdMs - a.createdMs);
    const [left, right] = index === -1 ? [a.namespace, b.namespace] : [a.cells[index] ?? '', b.cells[index] ?? ''];
    return sign * left.localeCompare(right, 'en', { numeric: true });
  });
}

interface Widths {
  /** As a grid template. */
  readonly columns: string;
  /** The least width of all together: head and rows are never narrower, so that columns stand below their heads. */
  readonly least: string;
}

/** Widths from the first rows: as wide as what stands in a column, within reason. */
function widthsOf(rows: readonly Row[], columns: readonly ShownColumn[], isWide: boolean): Widths {
  const sample = rows.slice(0, 200);
  const widthOf = (title: string, text: (row: Row) => string): number =>
    Math.max(title.length + 2, ...sample.map((row) => Math.min(48, text(row).length)));
  const sizes = columns.map(({ column, index }) => {
    const width = widthOf(column.name, (row) => row.cells[index] ?? '');
    return column.name === 'Name'
      ? { rem: 12, share: Math.max(3, width / 8) }
      : { rem: Math.min(24, width * 0.62 + 1.6), share: width / 14 };
  });
  const namespace = { rem: Math.min(16, widthOf('Namespace', (row) => row.namespace) * 0.6 + 1.5), share: 1 };
  const all = isWide ? [namespace, ...sizes] : sizes;
  return {
    columns: all.map(({ rem, share }) => `minmax(${rem}rem, ${share}fr)`).join(' '),
    least: `${all.reduce((sum, { rem }) => sum + rem, 0)}rem`,
  };
}
