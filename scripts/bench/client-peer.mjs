// One measurement of one client, in a process of its own: `client-peer.mjs pintle|client-node WHAT ...`. Prints JSON.
const [who, what, kubeconfig, objects, since] = process.argv.slice(2);
const path = '/apis/bench.pintle.dev/v1/fruits';

const measurements = {
  pintle: {
    import: () => import('@pintle/client'),
    async sync() {
      const { connect, Informer, loadConfig } = await import('@pintle/client');
      const { Fruit } = await import('./client-fruit.mjs');
      const client = await connect(await loadConfig({ kubeconfig }));
      return timed(async () => {
        const informer = new Informer({ client, type: Fruit });
        const stop = new AbortController();
        const running = informer.run(stop);
        await informer.synced;
        const end = async () => {
          stop.abort();
          await running;
        };
        return { size: informer.cache.size, stop: end, kept: informer };
      });
    },
    async watch() {
      const { connect, loadConfig } = await import('@pintle/client');
      const { Fruit } = await import('./client-fruit.mjs');
      const client = await connect(await loadConfig({ kubeconfig }));
      return timed(async () => {
        let seen = 0;
        for await (const event of client.watch(Fruit, { resourceVersion: since })) {
          if (event.type === 'ADDED' && ++seen === Number(objects)) break;
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
      const { KubeConfig, Watch } = await import('@kubernetes/client-node');
      const config = new KubeConfig();
      config.loadFromFile(kubeconfig);
      return timed(async () => {
        let seen = 0;
        let request;
        await new Promise((resolve, reject) => {
          const take = (type) => {
            if (type === 'ADDED' && ++seen === Number(objects)) resolve();
          };
          const watching = new Watch(config).watch(path, { resourceVersion: since }, take, reject);
          request = watching;
        });
        return { size: seen, stop: async () => (await request).abort() };
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
  const { size, ms, heap, stop } = await measurements[who][what]();
  if (size !== Number(objects)) throw new Error(`${who} saw ${size} of ${objects} objects`);
  print({ ms, heap, peak: process.resourceUsage().maxRSS * 1024 });
  await stop();
}
process.exit(0);

async function timed(work) {
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  const result = await work();
  const ms = performance.now() - started;
  globalThis.gc();
  return { ...result, ms, heap: process.memoryUsage().heapUsed - before };
}

/** Many keys, as a controller has them; each is added, taken and done with. */
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
