// Measures the cost of a controller: reconciles without changes, and objects that converge on a server in this process.
// Figures are rates per second of core time, and shares of the same requests without a framework.

import { inProcess } from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import { Client } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { conditions, defineResource, installResources, Manager } from '@pintle/operator';
import { openMemoryStore } from '@pintle/store';
import { z } from 'zod';

const OBJECTS = 10_000;
const NOOPS = 300_000;
const CONCURRENCY = 32;
const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const namespace = 'default';

const Fruit = defineResource({
  group: 'bench.pintle.dev',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int().min(1), sweetness: z.boolean().default(false), comment: z.string().optional() }),
  status: z.object({ ripe: z.boolean().optional(), conditions: conditions() }),
});

export async function bench(print) {
  const plane = await openPlane();
  try {
    await benchBare(plane, print);
    const child = await benchConvergence(plane, print, { what: 'converge, one applied child each', hasStatus: false });
    await child.stop();
    const both = { what: 'converge, one applied child and a status each', hasStatus: true };
    await benchNoops(await benchConvergence(plane, print, both), print);
  } finally {
    await plane.close();
  }
}

/** Opens a server that counts its writes. */
async function openPlane() {
  const store = await openMemoryStore({ clock: realClock });
  const server = await KubeApiServer.open({
    store,
    clock: realClock,
    random: systemRandom,
    authenticator: { authenticate: () => undefined },
  });
  const answer = inProcess(server, ADMIN);
  const plane = { writes: 0 };
  const send = (request) => {
    if (request.method !== 'GET') plane.writes++;
    return answer(request);
  };
  plane.client = new Client({ transport: { send, isProbed: true }, clock: realClock });
  plane.close = async () => {
    await server.close();
    await store.close();
  };
  await installResources(plane.client, [Fruit]);
  return plane;
}

/** Sends the requests of each object, from as many loops as the controller has workers. */
async function benchBare(plane, print) {
  const nameOf = (index) => `bare-${index}`;
  await createFruits(plane.client, nameOf);
  const rateOf = (work) => perSecond(OBJECTS, () => inParallel(OBJECTS, work));
  const applied = await rateOf(async (index) => {
    const child = { metadata: { namespace, name: `${nameOf(index)}-label` }, data: { weight: '120' } };
    await plane.client.apply(ConfigMap, child, { fieldManager: 'bare', force: true });
  });
  const patched = await rateOf(async (index) => {
    const patch = { type: 'merge', body: { status: { ripe: true } } };
    await plane.client.patch(Fruit, { namespace, name: nameOf(index) }, patch, { subresource: 'status' });
  });
  plane.bareRate = { 1: applied, 2: 1 / (1 / applied + 1 / patched) };
  print(`${`bare: ${OBJECTS} applied objects`.padEnd(56)}${round(applied)}/s`);
  print(`${`bare: ${OBJECTS} patched statuses`.padEnd(56)}${round(patched)}/s`);
  await clear(plane.client);
}

async function benchConvergence(plane, print, { what, hasStatus }) {
  await createFruits(plane.client, (index) => `fruit-${index}`);
  const manager = new Manager({ client: plane.client });
  const run = { left: OBJECTS, isEmpty: false, isQuiet: false, done: () => undefined };
  run.again = async () => {
    run.left = OBJECTS;
    const finished = new Promise((resolve) => {
      run.done = resolve;
    });
    for (let i = 0; i < OBJECTS; i++) run.controller.enqueue({ namespace, name: `fruit-${i}` });
    await finished;
  };
  run.controller = manager
    .controller(Fruit)
    .options({ concurrency: CONCURRENCY })
    .owns(ConfigMap, () => !run.isQuiet)
    .filter(() => !run.isQuiet)
    .reconcile(async (fruit, ctx) => {
      if (!run.isEmpty) {
        await ctx.apply(ConfigMap, {
          metadata: { name: `${fruit.metadata.name}-label` },
          data: { weight: `${fruit.spec.weight}` },
        });
        if (hasStatus) ctx.status({ ripe: fruit.spec.weight > 100 });
      }
      if (--run.left === 0) run.done();
    });
  const stop = new AbortController();
  plane.writes = 0;
  const startedMs = cpuMs();
  const running = manager.run({ signal: stop.signal });
  await settled(() => plane.writes >= OBJECTS * (hasStatus ? 2 : 1), run.controller.queue);
  const rate = OBJECTS / ((cpuMs() - startedMs) / 1000);
  const share = ((100 * rate) / plane.bareRate[hasStatus ? 2 : 1]).toFixed(0);
  print(`${what.padEnd(56)}${round(rate)} objects/s, ${share} % of bare (aim: 1500)`);
  const writes = (plane.writes / OBJECTS).toFixed(2);
  plane.writes = 0;
  run.isQuiet = true;
  await run.again();
  await settled(() => true, run.controller.queue);
  print(`${'  writes for each object, and when looked at again'.padEnd(56)}${writes} and ${plane.writes} (aim: 0)`);
  run.stop = async () => {
    stop.abort();
    await running;
    await clear(plane.client);
  };
  return run;
}

async function benchNoops(run, print) {
  for (const [what, isEmpty] of [
    ['no-op reconciles, nothing asked for', true],
    ['no-op reconciles, apply and status unchanged', false],
  ]) {
    run.isEmpty = isEmpty;
    await inBatches(run);
    let best = 0;
    for (let round = 0; round < 3; round++) best = Math.max(best, await perSecond(NOOPS, () => inBatches(run)));
    print(`${what.padEnd(56)}${round(best)}/s (aim: 100000)`);
  }
  await run.stop();
}

/** Runs batches with every object once, since a queued object is not added again. */
async function inBatches(run) {
  for (let done = 0; done < NOOPS; done += OBJECTS) await run.again();
}

async function createFruits(client, nameOf) {
  await inParallel(OBJECTS, async (index) => {
    await client.create(Fruit, { metadata: { namespace, name: nameOf(index) }, spec: { weight: 120 } });
  });
}

async function inParallel(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function clear(client) {
  for (const type of [Fruit, ConfigMap]) await client.deleteAll(type, { namespace, timeoutMs: 600_000 });
}

/** Resolves when the condition is true and the queue is empty. Polls seldom, since polling takes time too. */
async function settled(isSo, queue) {
  const isBusy = ({ active, ready, delayed }) => active + ready + delayed > 0;
  while (!isSo() || isBusy(queue.stats())) await realClock.sleep(5);
}

async function perSecond(count, work) {
  const startedMs = cpuMs();
  await work();
  return count / ((cpuMs() - startedMs) / 1000);
}

/** Returns the processor time of this process, which other processes do not affect. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function round(rate) {
  return Math.round(rate).toLocaleString('en');
}
