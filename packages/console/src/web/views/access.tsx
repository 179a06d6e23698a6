import '../styles/access.css';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../api/http.ts';
import { kindId } from '../api/kinds.ts';
import { record } from '../api/objects.ts';
import { catalog } from '../live/catalog.ts';
import { collectionOf, useCollection } from '../live/hub.ts';
import { wholeReader } from '../live/readers.ts';
import { PaneHead } from '../parts/pane-head.tsx';
import { Empty, Freshness, isStale, Link } from '../parts/small.tsx';
import { useNow } from '../state/look.ts';
import { adjust, atOf, hrefOf, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { type AccessQuery, type Grant, whoCan } from '../text/who-can.ts';
import { plural } from '../text/words.ts';
import { idOf } from './access-href.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROOT = `/apis/${GROUP}/v1`;
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const OTHER_VERBS = ['impersonate', 'bind', 'escalate', 'approve', 'sign', 'use', 'observe', 'post'];
const MAX_SHOWN = 300;

/** Lists the subjects that may do something, with their roles, and asks about one user. */
export default function AccessView() {
  const place = usePlace();
  const { query } = place;
  const deed = useAccessQuery();
  const at = atOf(place);
  const now = useNow(2000);
  const collection = (resource: string, namespace = '') =>
    collectionOf('whole', {
      path:
        namespace === '' ? `${ROOT}/${resource}` : `${ROOT}/namespaces/${encodeURIComponent(namespace)}/${resource}`,
      reader: wholeReader,
      at,
    });
  const parts = {
    clusterRoles: useCollection(collection('clusterroles')),
    clusterRoleBindings: useCollection(collection('clusterrolebindings')),
    roles: useCollection(collection('roles', query.ns)),
    roleBindings: useCollection(collection('rolebindings', query.ns)),
  };
  const snapshots = Object.values(parts);
  const denied = Object.entries(parts).filter(([, { phase }]) => phase === 'denied');
  const objects = (each: keyof typeof parts) => parts[each].items.map(({ object }) => object);
  const grants = whoCan(deed, {
    clusterRoles: objects('clusterRoles'),
    clusterRoleBindings: objects('clusterRoleBindings'),
    roles: objects('roles'),
    roleBindings: objects('roleBindings'),
  });
  const isComplete = snapshots.every((each) => each.isComplete || each.phase === 'denied');
  // The oldest of the four says how fresh all are.
  const oldest = snapshots.toSorted((a, b) => Number(isStale(b, now)) - Number(isStale(a, now)))[0]!;
  return (
    <section className={`pane access ${snapshots.some((each) => isStale(each, now)) ? 'stale' : ''}`}>
      <PaneHead title="Access">
        <Freshness of={oldest} />
      </PaneHead>
      <Question deed={deed} />
      {denied.length > 0 && (
        <p className="problem" role="note">
          You may not list all roles and bindings, so grants may be missing here.
        </p>
      )}
      <div className="access-split">
        <div className="grants">
          <h2>
            {isComplete ? `${plural(grants.length, 'grant')} of ` : 'Looking for '}
            <code>{sentenceOf(deed)}</code>
          </h2>
          <Grants grants={grants} filter={query.q ?? ''} isComplete={isComplete} />
        </div>
        <Check deed={deed} />
      </div>
    </section>
  );
}

/** Reads what is asked from the address. */
function useAccessQuery(): AccessQuery {
  const { query } = usePlace();
  const { byId } = useStore(catalog);
  const { verb = 'get', of = 'pods', ns = '', name = '' } = query;
  if (of.startsWith('/')) return { verb, group: '', resource: of, namespace: '', name: '' };
  const [id = '', subresource] = of.split('/');
  const kind = byId.get(id);
  const dot = id.indexOf('.');
  const group = kind?.group ?? (dot < 0 ? '' : id.slice(dot + 1));
  const resource = kind?.resource ?? (dot < 0 ? id : id.slice(0, dot));
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { verb, group, resource: whole, namespace: kind?.isNamespaced === false ? '' : ns, name };
}

function sentenceOf({ verb, group, resource, namespace, name }: AccessQuery): string {
  const what = resource.startsWith('/') ? resource : idOf(group, resource);
  return [verb, what, name, namespace && `in ${namespace}`].filter(Boolean).join(' ');
}

function Question({ deed }: { deed: AccessQuery }) {
  const { kinds, byId } = useStore(catalog);
  const { query } = usePlace();
  const { of = 'pods' } = query;
  const subresources = byId.get(of)?.subresources ?? [];
  return (
    <search className="question">
      <label>
        Verb
        <input
          list="access-verbs"
          value={deed.verb}
          spellCheck={false}
          onChange={(event) => adjust({ verb: event.target.value })}
        />
      </label>
      <datalist id="access-verbs">
        {[...VERBS, ...OTHER_VERBS].map((verb) => (
          <option key={verb} value={verb} />
        ))}
      </datalist>
      <label>
        Resource or path
        <input
          className="wide"
          list="access-kinds"
          value={of}
          spellCheck={false}
          onChange={(event) => adjust({ of: event.target.value })}
        />
      </label>
      <datalist id="access-kinds">
        {kinds.map((kind) => (
          <option key={kindId(kind)} value={kindId(kind)} />
        ))}
        {subresources.map((each) => (
          <option key={each} value={`${of}/${each}`} />
        ))}
      </datalist>
      <label>
        Name
        <input
          value={query.name ?? ''}
          placeholder="any"
          spellCheck={false}
          onChange={(event) => adjust({ name: event.target.value })}
        />
      </label>
      <span className="muted">{deed.namespace === '' ? 'in all namespaces' : `in ${deed.namespace}`}</span>
    </search>
  );
}

interface GrantsProps {
  readonly grants: readonly Grant[];
  readonly filter: string;
  readonly isComplete: boolean;
}

function Grants({ grants, filter, isComplete }: GrantsProps) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = grants.filter(({ subject, binding, role }) => {
    const text = `${subject.kind} ${subject.namespace} ${subject.name} ${binding.name} ${role.name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (grants.length === 0 && isComplete) return <Empty title="No role allows it" />;
  return (
    <>
      <ul aria-label="Grants">
        {shown.slice(0, MAX_SHOWN).map(({ subject, binding, role, names }) => (
          <li key={JSON.stringify([subject, binding])}>
            <small>{subject.kind}</small>
            <b>{subject.namespace === '' ? subject.name : `${subject.namespace}/${subject.name}`}</b>
            <span className="by">
              role <RbacLink of={role} />, binding <RbacLink of={binding} />
              {names.length > 0 && (
                <>
                  ; only {names.slice(0, 5).join(', ')}
                  {names.length > 5 && ` and ${plural(names.length - 5, 'more', 'more')}`}
                </>
              )}
            </span>
          </li>
        ))}
        {shown.length > MAX_SHOWN && <li className="muted">and {plural(shown.length - MAX_SHOWN, 'more', 'more')}</li>}
      </ul>
      <p className="muted">
        Members of system:masters may do everything. Nodes, webhooks and policies of authorization may allow more than
        roles do: ask about one user to know.
      </p>
    </>
  );
}

function RbacLink({ of: { kind, namespace, name } }: { of: Grant['role'] }) {
  return (
    <Link to={hrefOf(['o', `${kind.toLowerCase()}s.${GROUP}`, namespace || '_', name])} title={kind}>
      {name}
    </Link>
  );
}

interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** Asks the server about one user: authorizers that know of no roles are heard too. */
function Check({ deed }: { deed: AccessQuery }) {
  const [user, setUser] = useState('');
  const [groups, setGroups] = useState('');
  const [verdict, setVerdict] = useState<Verdict & { readonly key: string }>();
  const [problem, setProblem] = useState<string>();
  const key = JSON.stringify([deed, user, groups]);
  const ask = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setProblem(undefined);
    try {
      setVerdict({ ...(await review(deed, user, groups)), key });
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <form className="check-user" onSubmit={(event) => void ask(event)}>
      <h2>Ask about one user</h2>
      <label>
        User
        <input
          value={user}
          spellCheck={false}
          placeholder="system:serviceaccount:default:default"
          onChange={(event) => setUser(event.target.value)}
        />
      </label>
      <label>
        Groups, with commas
        <input
          value={groups}
          spellCheck={false}
          placeholder="system:authenticated"
          onChange={(event) => setGroups(event.target.value)}
        />
      </label>
      <button type="submit" disabled={user === '' && groups === ''}>
        Ask the server
      </button>
      {verdict?.key === key && (
        <p className={verdict.isAllowed ? 'yes' : 'no'} role="status">
          <b>{verdict.isAllowed ? 'Allowed' : 'Not allowed'}</b>
          {verdict.reason !== '' && <span> {verdict.reason}</span>}
        </p>
      )}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

async function review(deed: AccessQuery, user: string, groups: string): Promise<Verdict> {
  const { verb, group, resource, namespace, name } = deed;
  const [plain = '', subresource = ''] = resource.split('/');
  const asked = resource.startsWith('/')
    ? { nonResourceAttributes: { verb, path: resource } }
    : { resourceAttributes: { verb, group, resource: plain, subresource, namespace, name } };
  const names = groups
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  const answer = await api('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    method: 'POST',
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { ...asked, user, groups: names },
    }),
  });
  const { allowed, reason } = record(record(answer)?.status) ?? {};
  return { isAllowed: allowed === true, reason: typeof reason === 'string' ? reason : '' };
}
