import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { ApiError, api } from '../api/http.ts';
import { apiVersionOf, isSecret, type Kind, kindId, pathOf } from '../api/kinds.ts';
import type { KubeObject } from '../api/objects.ts';
import { conditionsOf, jsonOf, objectIn } from '../api/objects.ts';
import { catalog } from '../live/catalog.ts';
import { dependentsOf, forestOf } from '../live/forest.ts';
import { healthOf } from '../live/health.ts';
import { collectionOf, useCollection } from '../live/hub.ts';
import { metadataReader, wholeReader } from '../live/readers.ts';
import { Age, Dot, Empty, Freshness, isStale, Link, Text, Unreadable } from '../parts/small.tsx';
import { useNow } from '../state/look.ts';
import { adjust, atOf, go, hrefOf, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { ownersByPath } from '../text/managers.ts';
import { plural } from '../text/words.ts';
import { yamlLines } from '../text/yaml-lines.ts';
import { accessHref } from './access-href.ts';
import { ForestCanvas } from './graph.tsx';
import { History } from './history.tsx';
import { Events, useMay } from './home.tsx';
import { objectHref } from './list.tsx';

const Editor = lazy(() => import('./editor.tsx'));

interface Props {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

const TABS = { yaml: 'Fields', history: 'History', family: 'Owners and dependents', events: 'Events' } as const;

/** One object: what it says, who said it, what became of it. */
export default function ObjectView({ kind, namespace, name }: Props) {
  const place = usePlace();
  const at = atOf(place);
  const now = useNow(2000);
  const isHidden = isSecret(kind);
  const path = pathOf(kind, namespace);
  const fieldSelector = `metadata.name=${name}`;
  const snapshot = useCollection(
    collectionOf(isHidden ? 'metadata' : 'whole', {
      path,
      reader: isHidden ? metadataReader : wholeReader,
      at,
      fieldSelector,
    }),
  );
  const [revealed, setRevealed] = useState<KubeObject>();
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const canEdit = useMay('patch', kind, namespace, name);
  const canDelete = useMay('delete', kind, namespace, name);
  const item = snapshot.items[0];
  const tab = (place.query.tab ?? 'yaml') as keyof typeof TABS;
  if (item === undefined) {
    if (!snapshot.isComplete && snapshot.phase === 'loading') return <div className="loading" />;
    if (snapshot.phase === 'denied') return <Empty title={`You may not see ${name}`}>{snapshot.error?.message}</Empty>;
    if (snapshot.phase === 'failed') return <Unreadable title={`${name} cannot be shown`} error={snapshot.error} />;
    return (
      <Empty title={at === undefined ? `${name} is not there` : `${name} was not there then`}>
        <Link to={hrefOf(['o', kindId(kind)])}>All {kind.resource}</Link>
      </Empty>
    );
  }
  const isFresh = revealed?.metadata.resourceVersion === item.object.metadata.resourceVersion;
  const object = isFresh ? revealed : isHidden ? withoutLastApplied(item.object) : item.object;
  const reveal = async (): Promise<void> =>
    setRevealed(objectIn(await api(pathOf(kind, namespace, name), { isReveal: true })));
  const canChange = at === undefined && canEdit && (!isHidden || isFresh);
  return (
    <article className={`object ${isStale(snapshot, now) ? 'stale' : ''}`}>
      <header>
        <div>
          <h1>{name}</h1>
          <p className="muted">
            {kind.kind} · {apiVersionOf(kind)}
            {namespace !== '' && ` · ${namespace}`}
          </p>
        </div>
        <span className="spring" />
        <Freshness of={snapshot} />
        <Link
          className="button quiet"
          to={accessHref({ verb: 'get', group: kind.group, resource: kind.resource, namespace, name })}
        >
          Who can
        </Link>
        {!isHidden && (
          <Link
            className="button quiet"
            to={hrefOf(['rules'], { kind: kindId(kind), ns: namespace, name, at: undefined })}
          >
            Try rules
          </Link>
        )}
        {isHidden && at === undefined && (
          <button type="button" onClick={() => void (isFresh ? setRevealed(undefined) : reveal())}>
            {isFresh ? 'Hide values' : 'Reveal values'}
          </button>
        )}
        {canChange && (
          <button type="button" onClick={() => setEditing(!isEditing)} aria-pressed={isEditing}>
            {isEditing ? 'Stop editing' : 'Edit'}
          </button>
        )}
        {at === undefined && canDelete && (
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            Delete
          </button>
        )}
      </header>
      <Facts object={object} />
      <div className="tabs" role="tablist" aria-label="Views of the object">
        {Object.entries(TABS).map(([id, title]) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={tab === id}
            onClick={() => adjust({ tab: id === 'yaml' ? undefined : id })}
          >
            {title}
          </button>
        ))}
      </div>
      {isEditing && canChange ? (
        <Suspense fallback={<div className="loading" />}>
          <Editor kind={kind} namespace={namespace} object={object} onDone={() => setEditing(false)} />
        </Suspense>
      ) : tab === 'history' ? (
        <History path={path} fieldSelector={fieldSelector} isHidden={isHidden} />
      ) : tab === 'family' ? (
        <Family kind={kind} object={object} at={at} />
      ) : tab === 'events' ? (
        <Events
          title="Events"
          at={at}
          path={namespace === '' ? '/api/v1/events' : `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`}
          fieldSelector={`involvedObject.uid=${object.metadata.uid}`}
        />
      ) : (
        <Fields object={object} />
      )}
      {isDeleting && <DeleteDialog kind={kind} object={object} onClose={() => setDeleting(false)} />}
    </article>
  );
}

/** kubectl keeps what it applied in an annotation: of a Secret, its values. */
function withoutLastApplied(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  const key = 'kubectl.kubernetes.io/last-applied-configuration';
  if (annotations?.[key] === undefined) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [key]: '(hidden)' } } };
}

function Facts({ object }: { object: KubeObject }) {
  const { metadata } = object;
  const health = healthOf(object);
  const conditions = conditionsOf(object);
  return (
    <section className="facts">
      <dl>
        <dt>Status</dt>
        <dd>
          <Dot tone={health.tone} /> {health.words || 'no conditions'}
        </dd>
        <dt>Age</dt>
        <dd>
          <Age ms={Date.parse(metadata.creationTimestamp ?? '') || 0} />
        </dd>
        {(metadata.ownerReferences ?? []).length > 0 && (
          <>
            <dt>Owned by</dt>
            <dd>
              {metadata.ownerReferences!.map((owner) => (
                <OwnerLink
                  key={owner.uid}
                  apiVersion={owner.apiVersion}
                  kind={owner.kind}
                  name={owner.name}
                  namespace={metadata.namespace ?? ''}
                />
              ))}
            </dd>
          </>
        )}
        {(metadata.finalizers ?? []).length > 0 && (
          <>
            <dt>{metadata.deletionTimestamp ? 'Waits for' : 'Finalizers'}</dt>
            <dd>
              {metadata.finalizers!.map((each) => (
                <code key={each}>{each}</code>
              ))}
            </dd>
          </>
        )}
      </dl>
      {conditions.length > 0 && (
        <ul className="conditions">
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <li key={type} title={message}>
              <b className={status === 'True' ? 'yes' : status === 'False' ? 'no' : 'unknown'}>{type}</b>
              <span>{status}</span>
              {reason && <small>{reason}</small>}
              {lastTransitionTime && (
                <small>
                  <Age ms={Date.parse(lastTransitionTime) || 0} />
                </small>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function OwnerLink({
  apiVersion,
  kind,
  name,
  namespace,
}: {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
}) {
  const { kinds } = useStore(catalog);
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : '';
  const found = kinds.find((each) => each.kind === kind && each.group === group);
  const text = `${kind} ${name}`;
  if (found === undefined) return <span>{text}</span>;
  return <Link to={objectHref(found, { namespace: found.isNamespaced ? namespace : '', name })}>{text}</Link>;
}

const MAX_LINES = 3000;

/** The object as YAML, and in the margin who set which field. */
function Fields({ object }: { object: KubeObject }) {
  const lines = useMemo(() => {
    const { managedFields: _left, ...metadata } = object.metadata;
    return yamlLines(jsonOf({ ...object, metadata }));
  }, [object]);
  const owners = useMemo(() => ownersByPath(object), [object]);
  let before = '';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section className="fields" aria-label="Fields" tabIndex={0}>
      {lines.slice(0, MAX_LINES).map((line, index) => {
        const found = line.value === '' && line.type === 'none' ? [] : owners(line.path);
        const label = found
          .map(
            ({ name, operation, subresource }) =>
              `${name} ${operation.toLowerCase()}${subresource ? ` ${subresource}` : ''}`,
          )
          .join(', ');
        const isNew = label !== '' && label !== before;
        if (label !== '') before = label;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
          <div key={index} className="line">
            <span
              className={`owner m${(found[0]?.index ?? -1) % 6}`}
              title={found.map(({ name, time }) => `${name} at ${time}`).join('\n')}
            >
              {isNew && (
                <>
                  {label} <Age ms={Date.parse(found[0]?.time ?? '') || 0} />
                </>
              )}
            </span>
            <code>
              {line.indent}
              {line.key !== undefined && (
                <>
                  <span className="key">{line.key}</span>
                  {line.value === '' ? ':' : ': '}
                </>
              )}
              <span className={line.type}>
                <Text>{line.value}</Text>
              </span>
            </code>
          </div>
        );
      })}
      {lines.length > MAX_LINES && <p className="muted">{plural(lines.length - MAX_LINES, 'more line')}</p>}
    </section>
  );
}

function Family({ kind, object, at }: { kind: Kind; object: KubeObject; at: number | undefined }) {
  const { kinds } = useStore(catalog);
  const { namespace, uid } = object.metadata;
  const forest = useMemo(() => forestOf(kinds, namespace, at), [kinds, namespace, at]);
  const snapshot = useSyncExternalStore(forest.subscribe, forest.snapshot);
  let root = uid;
  const seen = new Set<string>();
  for (let node = snapshot.nodes.get(uid); node !== undefined && !seen.has(node.uid); ) {
    seen.add(node.uid);
    root = node.uid;
    node = node.owners.map((owner) => snapshot.nodes.get(owner)).find((each) => each !== undefined);
  }
  if (snapshot.isComplete && !snapshot.nodes.has(uid)) return <Empty title={`${kind.kind} is not part of the graph`} />;
  return (
    <div className="family">
      <ForestCanvas forest={forest} isAll root={root} />
    </div>
  );
}

/** Shows which objects a deletion deletes too, before it is confirmed. */
function DeleteDialog({ kind, object, onClose }: { kind: Kind; object: KubeObject; onClose: () => void }) {
  const { kinds } = useStore(catalog);
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const forest = useMemo(() => forestOf(kinds, namespace, undefined), [kinds, namespace]);
  const snapshot = useSyncExternalStore(forest.subscribe, forest.snapshot);
  const [policy, setPolicy] = useState('Background');
  const [problem, setProblem] = useState<string>();
  const below = dependentsOf(snapshot, uid);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => void (event.key === 'Escape' && onClose());
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [onClose]);
  const remove = async (): Promise<void> => {
    try {
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: policy,
        preconditions: { uid, resourceVersion },
      });
      await api(pathOf(kind, namespace, name), { method: 'DELETE', body });
      onClose();
      go(hrefOf(['o', kindId(kind)]));
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <div className="veil">
      <div className="dialog" role="alertdialog" aria-modal="true" aria-labelledby="delete-title">
        <h2 id="delete-title">
          Delete {kind.kind} {name}?
        </h2>
        {!snapshot.isComplete ? (
          <p className="muted">Looking for what it owns…</p>
        ) : below.length === 0 ? (
          <p>It owns nothing.</p>
        ) : (
          <>
            <p>
              {policy === 'Orphan'
                ? `It owns ${plural(below.length, 'object')}, which stay:`
                : `${plural(below.length, 'object')} go with it:`}
            </p>
            <ul className="going">
              {below.slice(0, 100).map((node) => (
                <li key={node.uid}>
                  <Dot tone={node.health.tone} />
                  <small>{node.kind.kind}</small> {node.name}
                </li>
              ))}
              {below.length > 100 && <li>and {plural(below.length - 100, 'more', 'more')}</li>}
            </ul>
          </>
        )}
        <label>
          What it owns{' '}
          <select value={policy} onChange={(event) => setPolicy(event.target.value)}>
            <option value="Background">goes after it</option>
            <option value="Foreground">goes before it</option>
            <option value="Orphan">stays</option>
          </select>
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          {/* biome-ignore lint/a11y/noAutofocus: the safe answer is the one that Enter gives. */}
          <button type="button" autoFocus onClick={onClose}>
            Keep it
          </button>
          <button type="button" className="danger solid" onClick={() => void remove()}>
            Delete
          </button>
        </footer>
      </div>
    </div>
  );
}
