// Runs three informers in turn, then an operator that creates a Secret for each ConfigMap.
import { connect, Informer, loadConfig } from '@pintle/client';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { Manager } from '@pintle/operator';
import { begin, end } from './recorder.mjs';

const client = await connect(await loadConfig({ kubeconfig: process.argv[2] }));
const stop = new AbortController();

for (let run = 0; run < 3; run++) {
  const stopInformer = new AbortController();
  const informer = new Informer({ client, type: ConfigMap, select: { namespace: 'default' } });
  const seen = new Promise((resolve) => informer.subscribe({ added: () => resolve(end()) }));
  begin();
  const running = informer.run({ signal: stopInformer.signal });
  process.send({ informer: await seen });
  await informer.synced;
  stopInformer.abort();
  await running.catch(() => undefined);
}

const done = new Set();
const manager = new Manager({ client, namespaces: ['default'], log: { info() {}, warn() {}, error: console.error } });
manager
  .controller(ConfigMap, 'walk')
  .owns(Secret)
  .reconcile(async ({ metadata, data }, ctx) => {
    if (!metadata.name.startsWith('reconciled-') || done.has(metadata.name)) return;
    done.add(metadata.name);
    await ctx.apply(Secret, { metadata: { name: metadata.name }, stringData: data });
    process.send({ reconcile: end() });
  });
process.on('disconnect', () => stop.abort());
await manager.run({ signal: stop.signal });
await client.close();
