// Both servers on one etcd at once, with controllers and clients at work on both.
import { setTimeout as sleep } from 'node:timers/promises';
import { canonical } from './compare.mjs';
import { until } from './servers.mjs';

const PREFIX = '/registry';
const HOME = '/api/v1/namespaces/default';
const SERVICES = 12;
const TWO_PORTS = [80, 443].map((port) => ({ name: `p${port}`, port }));
const SETTLE_MS = 60_000;
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';
const WATCHED = [
  '/api/v1/configmaps',
  '/api/v1/services',
  ADDRESSES,
  '/apis/apps/v1/deployments',
  '/apis/together.example.com/v1/fruits',
];

/** Returns both servers, what was done and what went wrong. The servers still run. */
export async function serveTogether(servers, { kube, controllers, minutes }) {
  const first = await servers.startKube(kube, { prefix: PREFIX, address: '192.0.2.1' });
  const second = await servers.startPintle({ prefix: PREFIX, address: '192.0.2.2' });
  const apis = [first, second];
  const problems = [];
  const counts = { writes: 0, conflicts: 0, refused: 0, services: 0, events: 0, restarts: 0 };
  const definition = fruits();
  await first.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  for (const api of apis) await until('fruits', async () => (await api.send('GET', WATCHED.at(-1))).status === 200);
  const processes = startControllers(servers, controllers, first, second);
  const watching = new AbortController();
  const watches = await Promise.all(
    WATCHED.flatMap((path) => apis.map((api) => Watch.start(api, path, watching.signal, problems))),
  );
  const end = Date.now() + minutes * 60_000;
  await Promise.all(
    apis.flatMap((api, at) => [
      repeat(end, problems, (round) => writeConfigMap(api, `${at}`, round, counts)),
      repeat(end, problems, (round) => contend(api, round, counts)),
      repeat(end, problems, (round) => replaceService(api, `${at}`, round, { counts, problems })),
      repeat(end, problems, (round) => scale(api, apis[1 - at], `${at}`, round, { counts, problems }), 1_000),
      repeat(end, problems, (round) => writeFruit(api, `${at}`, round, counts)),
    ]),
  );
  await checkEndpoints(apis, problems);
  for (const child of processes) if (child.exitCode !== null) problems.push(`controllers have ended: ${child.logFile}`);
  for (const child of processes) await servers.stop(child);
  await settle(watches);
  watching.abort();
  for (const [index, path] of WATCHED.entries()) {
    const [ours, theirs] = watches.slice(2 * index, 2 * index + 2);
    counts.events += ours.events.size;
    compareEvents(path, ours, theirs, problems);
    if (path.endsWith('/services')) checkClaims(ours, watches[2 * WATCHED.indexOf(ADDRESSES)], problems);
  }
  return { servers: apis, counts, problems };
}

/** The real controllers against kube-apiserver where there are any, those of Pintle against Pintle; one of them leads. */
function startControllers(servers, binary, first, second) {
  const key = [`--service-account-private-key-file=${servers.path('sa.key')}`];
  const pintle = servers.pintleCommand('controller-manager');
  const standby = servers.startControllers('pintle-controllers', pintle, key, second);
  if (binary === undefined) return [standby];
  const flags = [...key, '--use-service-account-credentials=false', '--bind-address=127.0.0.1', '--secure-port=0'];
  return [servers.startControllers('kube-controllers', [binary], flags, first), standby];
}

async function repeat(end, problems, round, pauseMs = 50) {
  for (let i = 0; Date.now() < end; i++) {
    await round(i).catch((error) => problems.push(`load: ${error.message}`));
    await sleep(pauseMs);
  }
}

async function writeConfigMap(api, at, round, counts) {
  const name = `map-${at}-${round % 20}`;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { round: `${round}` } };
  await count(counts, api.send('POST', `${HOME}/configmaps`, object), [201, 409]);
  await count(
    counts,
    api.send('PATCH', `${HOME}/configmaps/${name}`, { data: { at } }, 'application/merge-patch+json'),
    [200],
  );
  if (round % 3 === 0) await count(counts, api.send('DELETE', `${HOME}/configmaps/${name}`), [200]);
}

/** Both servers change one object, each based on what it has read. */
async function contend(api, round, counts) {
  const path = `${HOME}/configmaps/shared`;
  const { status, body } = await api.send('GET', path);
  if (status === 404) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data: {} };
    await count(counts, api.send('POST', `${HOME}/configmaps`, object), [201, 409]);
    return;
  }
  const key = `${api.name}-${round % 10}`;
  const before = Number(body.data?.[key] ?? 0);
  await count(counts, api.send('PUT', path, { ...body, data: { ...body.data, [key]: `${before + 1}` } }), [200, 409]);
}

/**
 * Creates and deletes services of all types; no two may have the same address or node port at once. Names are new each time: the
 * repair loop of kube-apiserver frees the address of a service while its cache shows an earlier one of the name.
 */
async function replaceService(api, at, round, { counts, problems }) {
  const name = `service-${at}-${round}`;
  if (round >= SERVICES) {
    const last = `service-${at}-${round - SERVICES}`;
    const deleted = await api.send('DELETE', `${HOME}/services/${last}`);
    if (deleted.status !== 200) problems.push(`${api.name} answered ${deleted.status} to the deletion of ${last}`);
  }
  const spec = { type: ['NodePort', 'ClusterIP', 'LoadBalancer'][round % 3], ports: TWO_PORTS };
  const created = await api.send('POST', `${HOME}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec,
  });
  if (created.status !== 201) {
    problems.push(`${api.name} refused ${name}: ${created.status} ${created.text.slice(0, 300)}`);
    return;
  }
  counts.services++;
}

/** A deployment is scaled on one server, and the other shows it to a consistent read. */
async function scale(api, other, at, round, { counts, problems }) {
  const name = `deployment-${at}`;
  const path = '/apis/apps/v1/namespaces/default/deployments';
  if (round === 0) await count(counts, api.send('POST', path, deployment(name)), [201, 409]);
  const body = { spec: { replicas: round % 4 } };
  const written = await api.send('PATCH', `${path}/${name}`, body, 'application/merge-patch+json');
  const read = await other.send('GET', `${path}/${name}`);
  counts.writes++;
  if (Number(read.body?.metadata?.resourceVersion) < Number(written.body?.metadata?.resourceVersion))
    problems.push(`${other.name} showed an old ${name}`);
}

async function writeFruit(api, at, round, counts) {
  const name = `fruit-${at}-${round % 10}`;
  const path = '/apis/together.example.com/v1/namespaces/default/fruits';
  const object = { apiVersion: 'together.example.com/v1', kind: 'Fruit', metadata: { name }, spec: { weight: round } };
  const apply = `${path}/${name}?fieldManager=${api.name}&force=true`;
  await count(counts, api.send('PATCH', apply, object, 'application/apply-patch+yaml'), [200, 201]);
  if (round % 7 === 0) await count(counts, api.send('DELETE', `${path}/${name}`), [200]);
}

async function count(counts, sent, expected) {
  const { status, text } = await sent;
  counts.writes++;
  if (status === 409) counts.conflicts++;
  if (!expected.includes(status)) throw new Error(`answered ${status} instead of ${expected}: ${text.slice(0, 300)}`);
}

/** The `kubernetes` Service has both servers as its endpoints. */
async function checkEndpoints(apis, problems) {
  for (const api of apis) {
    const { body } = await api.send('GET', `${HOME}/endpoints/kubernetes`);
    const addresses = (body.subsets ?? []).flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip)).sort();
    if (addresses.join() !== '192.0.2.1,192.0.2.2')
      problems.push(`${api.name} has the endpoints ${addresses.join() || 'none'} for the kubernetes Service`);
  }
}

/** Follows one resource on one server from its first list, and keeps each state of each object. */
class Watch {
  name;
  /** Objects by resourceVersion; of deletions, the last state. */
  events = new Map();

  static async start(api, path, signal, problems) {
    const watch = new Watch();
    watch.name = `${api.name} ${path}`;
    const { body } = await api.send('GET', path);
    void watch.#run(api, path, body.metadata.resourceVersion, signal, problems);
    return watch;
  }

  async #run(api, path, from, signal, problems) {
    let version = from;
    let last = 0;
    while (!signal.aborted) {
      try {
        const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
        for await (const { type, object } of api.watch(`${path}?${query}`, signal)) {
          if (type === 'ERROR') throw new Error(JSON.stringify(object));
          version = object.metadata.resourceVersion;
          if (type === 'BOOKMARK') continue;
          if (Number(version) <= last) problems.push(`watch of ${this.name} went back to ${version}`);
          last = Number(version);
          this.events.set(version, `${type} ${canonical(object)}`);
        }
      } catch (error) {
        if (!signal.aborted) problems.push(`watch of ${this.name} ended: ${error.message}`);
        await sleep(200);
      }
    }
  }
}

/** Waits until no watch gets further events. */
async function settle(watches) {
  const total = () => watches.reduce((sum, { events }) => sum + events.size, 0);
  for (let before = -1, end = Date.now() + SETTLE_MS; before !== total() && Date.now() < end; ) {
    before = total();
    await sleep(2_000);
  }
}

function compareEvents(path, ours, theirs, problems) {
  for (const [one, other] of [
    [ours, theirs],
    [theirs, ours],
  ]) {
    const missing = [...one.events.keys()].filter((version) => !other.events.has(version));
    if (missing.length > 0)
      problems.push(`watch of ${other.name} misses ${missing.length} events of ${one.events.size}`);
  }
  const different = [...ours.events].filter(
    ([version, event]) => theirs.events.has(version) && theirs.events.get(version) !== event,
  );
  if (different.length > 0)
    problems.push(
      `${different.length} events of ${path} differ:\n    ${different[0][1]}\n    ${theirs.events.get(different[0][0])}`,
    );
}

/** Walks through the events of services: at no revision may two of them have the same address or node port. */
function checkClaims(services, addresses, problems) {
  const held = new Map();
  for (const { version, type, object } of inOrder(services)) {
    const { metadata, spec } = object;
    const name = `${metadata.namespace}/${metadata.name}`;
    for (const [claim, holder] of held) if (holder === name) held.delete(claim);
    if (type === 'DELETED') continue;
    for (const claim of [...(spec.clusterIPs ?? []), ...spec.ports.map(({ nodePort }) => nodePort)]) {
      if (claim === undefined || claim === 'None') continue;
      if (held.has(claim))
        problems.push(
          `${claim} belongs to ${held.get(claim)} and to ${name} at ${version}\n${historyOf(claim, addresses, version)}`,
        );
      held.set(claim, name);
    }
  }
}

/** Returns who claimed and released an address last. The repair loop of kube-apiserver does so as well, by what its caches show. */
function historyOf(claim, addresses, until) {
  const events = inOrder(addresses).filter(
    ({ version, object }) => object.metadata.name === claim && Number(version) <= Number(until),
  );
  const lines = events.slice(-8).map(({ version, type, object: { metadata, spec } }) => {
    const [{ manager = 'an unknown manager' } = {}] = metadata.managedFields ?? [];
    return `    ${version} ${type} for ${spec.parentRef.name}, created by ${manager}`;
  });
  return lines.join('\n');
}

function inOrder({ events }) {
  const ordered = [...events].sort(([a], [b]) => Number(a) - Number(b));
  return ordered.map(([version, event]) => {
    const type = event.slice(0, event.indexOf(' '));
    return { version, type, object: JSON.parse(event.slice(type.length + 1)) };
  });
}

function deployment(name) {
  const labels = { app: name };
  const container = { name: 'main', image: 'example.com/main' };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}

function fruits() {
  const properties = { spec: { type: 'object', properties: { weight: { type: 'integer' } } } };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'fruits.together.example.com' },
    spec: {
      group: 'together.example.com',
      scope: 'Namespaced',
      names: { plural: 'fruits', singular: 'fruit', kind: 'Fruit', listKind: 'FruitList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
