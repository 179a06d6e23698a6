import { useEffect, useMemo, useState } from 'react';
import { ApiError, api, JSON_TYPE, METADATA_LIST_TYPE, METADATA_TYPE, openWatch, parseJson } from '../api/http.ts';
import type { KubeObject } from '../api/objects.ts';
import { jsonOf, objectIn, watchEventIn, writtenMs } from '../api/objects.ts';
import { objectsIn } from '../live/readers.ts';
import { linesOf } from '../live/watch-lines.ts';
import { Empty } from '../parts/small.tsx';
import { useStore } from '../state/store.ts';
import { findOldest, timeline } from '../state/timeline.ts';
import { diffLines } from '../text/diff.ts';
import { clockOf, count, plural } from '../text/words.ts';
import { writerOf } from '../text/writer.ts';
import { textOfLine, yamlLines } from '../text/yaml-lines.ts';

interface Version {
  readonly revision: number;
  readonly type: string;
  readonly ms: number;
  readonly by: string;
  readonly lines: readonly string[];
}

interface Props {
  readonly path: string;
  readonly fieldSelector: string;
  /** Of a Secret only the metadata is read. */
  readonly isHidden: boolean;
}

const MAX_VERSIONS = 500;
const CONTEXT = 3;

/** Every version of an object that the server still has, and what changed between any two. */
export function History({ path, fieldSelector, isHidden }: Props) {
  const { oldest } = useStore(timeline);
  const [versions, setVersions] = useState<readonly Version[]>([]);
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState<{ to?: number; from?: number }>({});
  useEffect(() => {
    const stop = new AbortController();
    follow({ path, fieldSelector, isHidden }, stop.signal, (version) =>
      setVersions((before) =>
        [...before.filter((each) => each.revision !== version.revision), version].slice(-MAX_VERSIONS),
      ),
    ).catch((error: unknown) => {
      if (!stop.signal.aborted) setProblem(error instanceof ApiError ? error.message : String(error));
    });
    return () => stop.abort();
  }, [path, fieldSelector, isHidden]);
  const to = versions.find(({ revision }) => revision === chosen.to) ?? versions.at(-1);
  const from = versions.find(({ revision }) => revision === chosen.from) ?? (to && versions[versions.indexOf(to) - 1]);
  if (problem !== undefined) return <Empty title="The history cannot be read">{problem}</Empty>;
  return (
    <div className="history">
      <ol className="versions" aria-label="Versions">
        {[...versions].reverse().map((version) => (
          <li key={version.revision}>
            <button
              type="button"
              aria-pressed={version === to || version === from}
              className={version === to ? 'to' : version === from ? 'from' : ''}
              onClick={(event) =>
                setChosen(
                  event.shiftKey ? { ...chosen, to: to!.revision, from: version.revision } : { to: version.revision },
                )
              }
            >
              <b>{count(version.revision)}</b>
              <span>{version.ms > 0 ? clockOf(version.ms) : ''}</span>
              <small>{version.type === 'DELETED' ? 'deleted' : version.by}</small>
            </button>
          </li>
        ))}
        <li className="muted begin">
          {oldest > 0 ? `Before revision ${count(oldest)} history is compacted.` : 'Looking for the beginning…'}
        </li>
      </ol>
      {to && <Difference from={from} to={to} />}
    </div>
  );
}

function Difference({ from, to }: { from: Version | undefined; to: Version }) {
  const lines = useMemo(() => diffLines(from?.lines ?? [], to.lines), [from, to]);
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ type }) => type !== 'same'),
  );
  const changes = lines.filter(({ type }) => type !== 'same').length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section className="diff" aria-label="Difference" tabIndex={0}>
      <p className="muted">
        {from
          ? `${count(from.revision)} → ${count(to.revision)}: ${plural(changes, 'line')}`
          : `${count(to.revision)}: the first that is kept`}
        <span> · Shift-click compares with another</span>
      </p>
      {lines.map((line, index) =>
        near[index] || from === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
          <div key={index} className={`line ${from === undefined ? 'same' : line.type}`}>
            <i aria-hidden="true">
              {from === undefined || line.type === 'same' ? ' ' : line.type === 'added' ? '+' : '−'}
            </i>
            <code>{line.text}</code>
          </div>
        ) : near[index - 1] ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
          <hr key={index} />
        ) : null,
      )}
    </section>
  );
}

/** Reads the version at the beginning of history, then every one since, then those that come. */
async function follow(
  { path, fieldSelector, isHidden }: Props,
  signal: AbortSignal,
  onVersion: (version: Version) => void,
): Promise<void> {
  await findOldest();
  const oldest = timeline.get().oldest;
  const body = await api(path, {
    accept: isHidden ? METADATA_LIST_TYPE : JSON_TYPE,
    signal,
    query: { fieldSelector, resourceVersion: `${oldest}`, resourceVersionMatch: 'Exact', limit: '1' },
  });
  let before: KubeObject | undefined;
  const report = (type: string, object: KubeObject): void => {
    onVersion(versionOf(type, object, before));
    before = object;
  };
  for (const object of objectsIn(body)) report('ADDED', object);
  const stream = await openWatch(path, {
    accept: isHidden ? METADATA_TYPE : JSON_TYPE,
    signal,
    query: { fieldSelector, resourceVersion: `${oldest}` },
  });
  for await (const lines of linesOf(stream, signal)) {
    for (const line of lines) {
      const { type, object } = watchEventIn(parseJson(line));
      if (type === 'ERROR') throw new ApiError(Number(object.code), String(object.message));
      report(type, objectIn(object));
    }
  }
}

function versionOf(type: string, object: KubeObject, before: KubeObject | undefined): Version {
  const { managedFields: _managers, resourceVersion: _revision, ...metadata } = object.metadata;
  const shown = jsonOf({ ...object, metadata });
  return {
    revision: Number(object.metadata.resourceVersion),
    type,
    ms: writtenMs(object.metadata),
    by: writerOf(before, object),
    lines: type === 'DELETED' ? [] : yamlLines(shown).map(textOfLine),
  };
}
