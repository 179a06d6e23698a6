// Runs one measurement of one client in a separate process: `client-peer.mjs pintle|client-node WHAT ...`. Prints JSON.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

const [who, what, kubeconfig, objects] = process.argv.slice(2);
const path = '/apis/bench.pintle.dev/v1/fruits';

async function openPintle() {
  const { connect, Informer, loadConfig } = await import('@pintle/client');
  const { Fruit } = await import('./client-fruit.mjs');
  return { client: await connect(await loadConfig({ kubeconfig })), Informer, Fruit };
}

/** Resolves when the cache has all objects; with `looks`, reads each object. */
async function follow({ looks }) {
  const { client, Informer, Fruit } = await openPintle();
  return timed(async () => {
    const informer = new Informer({ client, type: Fruit });
    let weight = 0;
    const look = (object) => {
      weight += object.spec.weight;
    };
    if (looks) informer.subscribe({ added: look });
    const stop = new AbortController();
    const running = informer.run(stop);
    await informer.synced;
    // A loop without a pause would use the processor time of the client.
    while (informer.cache.size < Number(objects)) await pause(1);
    const end = async () => {
      stop.abort();
      await running;
      await client.close();
    };
    return { size: informer.cache.size, stop: end, kept: [informer, weight] };
  });
}

const ours = (options) => ({
  import: () => import('@pintle/client'),
  sync: () => follow(options),
  watch: () => follow(options),
});

const measurements = {
  pintle: ours({ looks: false }),
  'pintle-looking': ours({ looks: true }),
  'pintle-loop': {
    async watch() {
      const { client, Fruit } = await openPintle();
      return timed(async () => {
        let seen = 0;
        for await (const event of client.watch(Fruit, { resourceVersion: '1' })) {
          if (event.type === 'ADDED' && event.object.spec.weight >= 0 && ++seen === Number(objects)) break;
        }
        return { size: seen, stop: () => client.close() };
      });
    },
  },
  'client-node': {
    import: () => import('@kubernetes/client-node'),
    async sync() {
      const { KubeConfig, CustomObjectsApi, makeInformer } = await import('@kubernetes/client-node');
      const config = new KubeConfig();
      config.loadFromFile(kubeconfig);
      const api = config.makeApiClient(CustomObjectsApi);
      const names = { group: 'bench.pintle.dev', version: 'v1', plural: 'fruits' };
      return timed(async () => {
        const informer = makeInformer(config, path, () => api.listClusterCustomObject(names));
        await informer.start();
        return { size: informer.list().length, stop: () => informer.stop(), kept: informer };
      });
    },
    async watch() {
      const { KubeConfig, CustomObjectsApi, makeInformer } = await import('@kubernetes/client-node');
      const config = new KubeConfig();
      config.loadFromFile(kubeconfig);
      const api = config.makeApiClient(CustomObjectsApi);
      const names = { group: 'bench.pintle.dev', version: 'v1', plural: 'fruits' };
      return timed(async () => {
        const informer = makeInformer(config, path, () => api.listClusterCustomObject(names));
        let seen = 0;
        const done = new Promise((resolve) => {
          informer.on('add', () => {
            if (++seen === Number(objects)) resolve();
          });
        });
        await informer.start();
        await done;
        return { size: seen, stop: () => informer.stop(), kept: informer };
      });
    },
  },
};

if (what === 'import') {
  const started = performance.now();
  await measurements[who].import();
  print({ ms: performance.now() - started });
} else if (what === 'queue') print({ rate: await countQueue() });
else {
  const { size, ms, ranMs, cpuMs, heap, stop } = await measurements[who][what]();
  if (size !== Number(objects)) throw new Error(`${who} saw ${size} of ${objects} objects`);
  print({ ms, ranMs, cpuMs, heap, peak: process.resourceUsage().maxRSS * 1024 });
  await stop();
}
process.exit(0);

async function timed(work) {
  globalThis.gc();
  const before = heldBytes();
  const started = performance.now();
  const usedBefore = process.cpuUsage();
  const ranBefore = threadMs();
  const result = await work();
  const ms = performance.now() - started;
  const ranMs = threadMs() - ranBefore;
  const { user, system } = process.cpuUsage(usedBefore);
  globalThis.gc();
  await turn();
  globalThis.gc();
  return { ...result, ms, ranMs, cpuMs: (user + system) / 1_000, heap: heldBytes() - before };
}

/** Returns the run time of the main thread, without those of the compiler and the garbage collector; Linux only. */
function threadMs() {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 : Number.NaN;
}

/** Returns the bytes of the heap, with external memory. */
function heldBytes() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Adds, takes and completes many keys, as a controller does. */
async function countQueue() {
  const { WorkQueue } = await import('@pintle/client');
  const queue = new WorkQueue();
  const keys = Array.from({ length: 1_000 }, (_, index) => `default/fruit-${index}`);
  const turn = async () => {
    for (const key of keys) queue.add(key);
    for (let left = keys.length; left > 0; left--) (await queue.take()).done();
  };
  for (let warm = 0; warm < 200; warm++) await turn();
  const turns = 1_000;
  const started = performance.now();
  for (let measured = 0; measured < turns; measured++) await turn();
  return (turns * keys.length * 1_000) / (performance.now() - started);
}

function print(result) {
  process.stdout.write(JSON.stringify(result));
}
