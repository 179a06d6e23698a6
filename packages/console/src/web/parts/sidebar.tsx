import { useMemo, useState } from 'react';
import { isBuiltIn, type Kind, kindId } from '../api/kinds.ts';
import { catalog } from '../live/catalog.ts';
import { hrefOf, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { Link, Mark } from './small.tsx';

/** Kinds that people look at most, in the order of that. */
const FIRST = [
  'pods',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
  'services',
  'configmaps',
  'secrets',
  'nodes',
  'namespaces',
  'events',
];

export function Sidebar() {
  const { path } = usePlace();
  const { kinds, byId } = useStore(catalog);
  const [isAll, setAll] = useState(false);
  const own = useMemo(() => kinds.filter((kind) => !isBuiltIn(kind)), [kinds]);
  const first = FIRST.flatMap((id) => byId.get(id) ?? []);
  const groups = useMemo(
    () => byGroup(kinds.filter((kind) => isBuiltIn(kind) && !FIRST.includes(kindId(kind)))),
    [kinds],
  );
  const current = path[0] === 'o' || path[0] === 'create' ? path[1] : undefined;
  const isInRest = current !== undefined && groups.some(([, each]) => each.some((kind) => kindId(kind) === current));
  return (
    <nav className="sidebar" aria-label="Main">
      <Link to={hrefOf([])} className="brand">
        <Mark />
        <span>Pintle</span>
      </Link>
      <div className="sidebar-scroll">
        <ul className="views">
          <Item
            to={hrefOf([])}
            isHere={path.length === 0}
            text="Overview"
            icon="M3 9h5V3H3zM3 15h5v-4H3zM10 15h5V9h-5zM10 3v4h5V3z"
          />
          <Item
            to={hrefOf(['graph'])}
            isHere={path[0] === 'graph'}
            text="Ownership"
            icon="M2 9h4M6 4v10M6 4h4M6 14h4M10 2h6v4h-6zM10 12h6v4h-6z"
          />
          <Item
            to={hrefOf(['operators'])}
            isHere={path[0] === 'operators'}
            text="Operators"
            icon="M9 2a7 7 0 1 1-6.500 4.400M2 2v4.500h4.500M9 5.500V9l2.500 2"
          />
          <Item
            to={hrefOf(['requests'])}
            isHere={path[0] === 'requests'}
            text="Requests"
            icon="M2 5h11M10 2l3 3-3 3M16 13H5M8 10l-3 3 3 3"
          />
          <Item
            to={hrefOf(['access'])}
            isHere={path[0] === 'access'}
            text="Access"
            icon="M9 2l6 2.500v4c0 4-3 6.500-6 7.500-3-1-6-3.500-6-7.500v-4zM6.500 9l2 2 3.500-4"
          />
          <Item
            to={hrefOf(['rules'])}
            isHere={path[0] === 'rules'}
            text="Rules"
            icon="M6 3H4v12h2M12 3h2v12h-2M7 9h4"
          />
        </ul>
        {own.length > 0 && <Group title="Your kinds" kinds={own} current={current} />}
        <Group title="Kinds" kinds={first} current={current} />
        <button type="button" className="more" aria-expanded={isAll || isInRest} onClick={() => setAll(!isAll)}>
          All kinds
        </button>
        {(isAll || isInRest) &&
          groups.map(([group, each]) => <Group key={group} title={group} kinds={each} current={current} />)}
      </div>
    </nav>
  );
}

function Item({ to, isHere, text, icon }: { to: string; isHere: boolean; text: string; icon: string }) {
  return (
    <li className={isHere ? 'here' : ''}>
      <Link to={to}>
        <svg viewBox="0 0 18 18" aria-hidden="true">
          <path d={icon} />
        </svg>
        {text}
      </Link>
    </li>
  );
}

function Group({ title, kinds, current }: { title: string; kinds: readonly Kind[]; current: string | undefined }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {kinds.map((kind) => (
          <li key={kindId(kind)} className={kindId(kind) === current ? 'here' : ''}>
            <Link to={hrefOf(['o', kindId(kind)])} title={kindId(kind)}>
              {kind.kind}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function byGroup(kinds: readonly Kind[]): [string, Kind[]][] {
  const groups = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const name = kind.group.replace(/\.k8s\.io$/, '') || 'core';
    groups.set(name, [...(groups.get(name) ?? []), kind]);
  }
  return [...groups];
}
