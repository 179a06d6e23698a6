import '../styles/shards.css';
import { SHARD_MAP_LABEL } from '@pintle/machinery/selectors';
import { pathOf } from '../api/kinds.ts';
import { catalog } from '../live/catalog.ts';
import { collectionOf, useCollection } from '../live/hub.ts';
import { wholeReader } from '../live/readers.ts';
import { Link } from '../parts/small.tsx';
import { atOf, hrefOf, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { type Shards, shardsOf } from '../text/shards.ts';
import { plural } from '../text/words.ts';
import { useAllowed } from './list.tsx';

const READER = { ...wholeReader, query: { labelSelector: SHARD_MAP_LABEL } };
const CONFIG_MAPS = { group: '', resource: 'configmaps' };
const COLORS = 6;

/** Operators whose replicas share the work: who owns which slots. Nothing for users who may not list ConfigMaps. */
export function ShardMaps() {
  const place = usePlace();
  const namespace = place.query.ns;
  const kind = useStore(catalog).byId.get('configmaps');
  const isAllowed = useAllowed(kind ?? CONFIG_MAPS, namespace);
  if (kind === undefined || !isAllowed) return null;
  return <ShardMapsAt path={pathOf(kind, namespace)} at={atOf(place)} />;
}

function ShardMapsAt({ path, at }: { path: string; at: number | undefined }) {
  const { items } = useCollection(collectionOf('shards', { path, reader: READER, at }));
  return items.map(({ key, object }) => {
    const shards = shardsOf(object);
    if (shards === undefined) return null;
    const { namespace = '', name } = object.metadata;
    return <ShardMap key={key} shards={shards} to={hrefOf(['o', 'configmaps', namespace, name])} />;
  });
}

function ShardMap({ shards, to }: { shards: Shards; to: string }) {
  const { name, owners, cells, unowned, moving } = shards;
  return (
    <section className="shards" aria-label={`Shards of ${name}`}>
      <h2>
        <Link to={to}>{name}</Link>
        <small>
          {plural(owners.length, 'replica')}
          {moving > 0 && ` · ${plural(moving, 'slot')} moving`}
          {unowned > 0 && <b className="problem"> · {plural(unowned, 'slot')} without owner</b>}
        </small>
      </h2>
      <ul>
        {owners.map((owner, place) => (
          <li key={owner.name}>
            <i className={`owner m${place % COLORS}`} aria-hidden="true" />
            <span>{owner.name}</span>
            <small>
              {plural(owner.slots, 'slot')}
              {owner.arriving > 0 && `, ${owner.arriving} arriving`}
              {owner.leaving > 0 && `, ${owner.leaving} leaving`}
            </small>
          </li>
        ))}
      </ul>
      <div className="slots" aria-hidden="true">
        {cells.map(({ owner, words, isMoving }) => (
          <i
            key={words}
            title={words}
            className={`${owner < 0 ? 'none' : `m${owner % COLORS}`}${isMoving ? ' moving' : ''}`}
          />
        ))}
      </div>
    </section>
  );
}
