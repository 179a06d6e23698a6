import { useEffect, useState } from 'react';
import { may } from '../api/access.ts';
import { catalog } from '../live/catalog.ts';
import { collectionOf, useCollection } from '../live/hub.ts';
import { metadataReader } from '../live/readers.ts';
import { theme, toggleTheme } from '../state/look.ts';
import { adjust, hrefOf, usePlace } from '../state/router.ts';
import { logOut, session } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { Link } from './small.tsx';

export function TopBar({ onGo, onMenu }: { onGo: () => void; onMenu: () => void }) {
  const { info } = useStore(session);
  const look = useStore(theme);
  return (
    <header className="top-bar">
      <button type="button" className="menu" aria-label="Menu" onClick={onMenu}>
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <path d="M2 5h14M2 9h14M2 13h14" />
        </svg>
      </button>
      <Crumbs />
      <span className="spring" />
      <button type="button" className="go" onClick={onGo}>
        Go to <kbd>g</kbd>
      </button>
      <Namespaces />
      <button
        type="button"
        className="icon"
        onClick={toggleTheme}
        aria-label={look === 'dark' ? 'Light colours' : 'Dark colours'}
        title={look === 'dark' ? 'Light colours' : 'Dark colours'}
      >
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <path
            d={
              look === 'dark'
                ? 'M9 5.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M9 1v1.5M9 15.500V17M1 9h1.500M15.500 9H17M3.300 3.300l1 1M13.700 13.700l1 1M3.300 14.700l1-1M13.700 4.300l1-1'
                : 'M14.500 11A6.500 6.500 0 0 1 7 3.500a6.500 6.500 0 1 0 7.500 7.500z'
            }
          />
        </svg>
      </button>
      <button
        type="button"
        className="who"
        onClick={() => void logOut()}
        title={`${info?.user?.username ?? ''}: log out`}
      >
        <span>{info?.user?.username}</span>
      </button>
    </header>
  );
}

function Crumbs() {
  const { path } = usePlace();
  const { byId } = useStore(catalog);
  const [view, id = '', namespace = '', name] = path;
  const kind = byId.get(id);
  return (
    <nav className="crumbs" aria-label="Where you are">
      {view === undefined && <strong>Overview</strong>}
      {view === 'graph' && <strong>Ownership</strong>}
      {view === 'operators' && <strong>Operators</strong>}
      {view === 'requests' && <strong>Requests</strong>}
      {view === 'access' && <strong>Access</strong>}
      {view === 'rules' && <strong>Rules</strong>}
      {kind &&
        (name === undefined && view !== 'create' ? (
          <strong>{kind.kind}</strong>
        ) : (
          <Link to={hrefOf(['o', id])}>{kind.kind}</Link>
        ))}
      {kind && view === 'create' && <strong>new</strong>}
      {kind && name !== undefined && namespace !== '_' && <span>{namespace}</span>}
      {kind && name !== undefined && <strong>{name}</strong>}
    </nav>
  );
}

const NAMESPACES = { group: '', resource: 'namespaces' };

/** Chooses the namespace; a user who may not list namespaces writes its name. */
function Namespaces() {
  const { query } = usePlace();
  const [canList, setCanList] = useState<boolean>();
  useEffect(() => void may({ verb: 'list', kind: NAMESPACES }).then(setCanList), []);
  if (canList === undefined) return null;
  if (canList) return <NamespaceMenu chosen={query.ns ?? ''} />;
  return (
    <input
      className="namespace"
      aria-label="Namespace"
      placeholder="namespace"
      defaultValue={query.ns ?? ''}
      onKeyDown={(event) => event.key === 'Enter' && adjust({ ns: event.currentTarget.value.trim() }, { isStep: true })}
      onBlur={(event) => adjust({ ns: event.currentTarget.value.trim() }, { isStep: true })}
    />
  );
}

function NamespaceMenu({ chosen }: { chosen: string }) {
  const { items } = useCollection(collectionOf('metadata', { path: '/api/v1/namespaces', reader: metadataReader }));
  const names = items.map((item) => item.object.metadata.name);
  return (
    <select
      className="namespace"
      aria-label="Namespace"
      value={chosen}
      onChange={(event) => adjust({ ns: event.target.value }, { isStep: true })}
    >
      <option value="">all namespaces</option>
      {chosen !== '' && !names.includes(chosen) && <option value={chosen}>{chosen}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
