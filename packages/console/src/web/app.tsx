import { lazy, Suspense, useEffect, useState } from 'react';
import { kindId } from './api/kinds.ts';
import { catalog, followCatalog } from './live/catalog.ts';
import { Palette } from './parts/palette.tsx';
import { Sidebar } from './parts/sidebar.tsx';
import { Empty, Mark } from './parts/small.tsx';
import { TimeBar } from './parts/time-bar.tsx';
import { TopBar } from './parts/top-bar.tsx';
import { atOf, usePlace } from './state/router.ts';
import { session } from './state/session.ts';
import { useStore } from './state/store.ts';
import { GraphView } from './views/graph.tsx';
import { HomeView } from './views/home.tsx';
import { ListView } from './views/list.tsx';
import { LoginView } from './views/login.tsx';

const ObjectView = lazy(() => import('./views/object.tsx'));
const OperatorsView = lazy(() => import('./views/operators.tsx'));
const RequestsView = lazy(() => import('./views/requests.tsx'));
const AccessView = lazy(() => import('./views/access.tsx'));
const RulesView = lazy(() => import('./views/rules/rules.tsx'));
const CreateView = lazy(() => import('./views/create.tsx'));

export function App() {
  const { info } = useStore(session);
  if (info === undefined) return <Splash />;
  return info.user === undefined ? <LoginView /> : <Console />;
}

function Splash() {
  const { problem } = useStore(session);
  return (
    <main className="splash">
      <Mark />
      {problem && <p role="alert">{problem}</p>}
    </main>
  );
}

function Console() {
  const place = usePlace();
  const [isGoing, setGoing] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => void followCatalog().catch(() => {}), []);
  useEffect(() => setMenuOpen(false), [place]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = (event.target as HTMLElement).closest('input, textarea, select, [contenteditable], .cm-editor');
      if (event.key === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setGoing(true);
      }
      if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.key === 'g') {
        event.preventDefault();
        setGoing(true);
      }
      if (event.key === '/') {
        const filter = document.querySelector<HTMLInputElement>('[data-filter]');
        if (filter !== null) {
          event.preventDefault();
          filter.focus();
          filter.select();
        }
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className={`console ${atOf(place) === undefined ? '' : 'past'} ${isMenuOpen ? 'menu-open' : ''}`}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Sidebar />
      <TopBar onGo={() => setGoing(true)} onMenu={() => setMenuOpen(!isMenuOpen)} />
      <main id="content" tabIndex={-1}>
        <Suspense fallback={<div className="loading" />}>
          <View />
        </Suspense>
      </main>
      <TimeBar />
      {isGoing && <Palette onClose={() => setGoing(false)} />}
    </div>
  );
}

function View() {
  const { path } = usePlace();
  const { byId, isLoaded } = useStore(catalog);
  const [view, id = '', namespace = '', name] = path;
  if (!isLoaded) return <div className="loading" />;
  if (view === undefined) return <HomeView />;
  if (view === 'graph') return <GraphView />;
  if (view === 'operators') return <OperatorsView />;
  if (view === 'requests') return <RequestsView />;
  if (view === 'access') return <AccessView />;
  if (view === 'rules') return <RulesView />;
  const kind = byId.get(id);
  if (kind === undefined) {
    return (
      <Empty title="No such kind">
        The server has none that is called {id || view}. It appears here as soon as it does.
      </Empty>
    );
  }
  if (view === 'create') return <CreateView key={kindId(kind)} kind={kind} />;
  if (name !== undefined) {
    return <ObjectView key={path.join('/')} kind={kind} namespace={namespace === '_' ? '' : namespace} name={name} />;
  }
  return <ListView key={id} kind={kind} />;
}
