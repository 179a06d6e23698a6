// Compares everything that two servers serve on the same etcd.
import { setTimeout as sleep } from 'node:timers/promises';

/** Lists every resource in every version that `first` serves on both, and returns how many objects are equal and which differ. */
export async function compareAll(first, second) {
  const result = { equal: 0, kinds: 0, differing: [], notServed: [], refused: [] };
  for (const { path, name } of await resourcesOf(first)) {
    const lists = await Promise.all([first, second].map((server) => list(server, path)));
    if (lists[1].status === 404) {
      result.notServed.push(name);
      continue;
    }
    if (lists.some(({ status }) => status !== 200)) {
      result.refused.push(`${name}: ${lists.map(({ status, text }) => `${status} ${status === 200 ? '' : text}`)}`);
      continue;
    }
    result.kinds++;
    const [ours, theirs] = lists.map(({ body }) => new Map(body.items.map((item) => [keyOf(item), item])));
    for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
      if (isSame(ours.get(key), theirs.get(key)) || (await isSameNow(first, second, path, key))) result.equal++;
      else result.differing.push({ name, key, difference: differenceOf(ours.get(key), theirs.get(key)) });
    }
  }
  return result;
}

/** kube-apiserver answers 429 while it fills a cache. */
async function list(server, path) {
  for (let attempt = 0; ; attempt++) {
    const answer = await server.send('GET', path);
    if (answer.status !== 429 || attempt === 20) return answer;
    await sleep(1_000);
  }
}

/** Objects that change all the time are read until both servers are asked between two changes. */
async function isSameNow(first, second, path, key) {
  const [namespace, name] = key.split('/');
  const home = namespace === '' ? path : path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
  for (let attempt = 0; attempt < 5; attempt++) {
    const [a, b] = await Promise.all([first, second].map((server) => server.send('GET', `${home}/${name}`)));
    if (a.status === 404 && b.status === 404) return true;
    if (a.status === b.status && isSame(a.body, b.body)) return true;
    if (a.body?.metadata?.resourceVersion === b.body?.metadata?.resourceVersion && a.status === b.status) return false;
  }
  return false;
}

/** Returns the paths of all lists that a server serves. */
export async function resourcesOf(server) {
  const paths = [];
  const { body: core } = await server.send('GET', '/api/v1');
  const { body: groups } = await server.send('GET', '/apis');
  const versions = [['/api/v1', core]];
  for (const { groupVersion } of groups.groups.flatMap((group) => group.versions))
    versions.push([`/apis/${groupVersion}`, (await server.send('GET', `/apis/${groupVersion}`)).body]);
  for (const [base, list] of versions)
    for (const { name, verbs } of list?.resources ?? [])
      if (verbs.includes('list') && !name.includes('/') && name !== 'componentstatuses')
        paths.push({ path: `${base}/${name}`, name: `${base.replace(/^\/apis?\//, '')}/${name}` });
  return paths;
}

function keyOf({ metadata: { namespace = '', name } }) {
  return `${namespace}/${name}`;
}

function isSame(a, b) {
  return a !== undefined && b !== undefined && canonical(a) === canonical(b);
}

/** JSON with sorted names. */
export function canonical(value) {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Returns the paths of values that differ, with both values. */
export function differenceOf(a, b, path = '') {
  if (canonical(a) === canonical(b)) return [];
  const isObject = (value) => value !== null && typeof value === 'object';
  if (!isObject(a) || !isObject(b)) return [`${path}: ${short(a)} | ${short(b)}`];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].flatMap((name) => differenceOf(a[name], b[name], `${path}.${name}`)).slice(0, 12);
}

function short(value) {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 200);
}
