// One replica of the benchmark of shards, in its own process: copies the value of each Secret into a ConfigMap. Tells its parent what
// it has used and how late it was. `shards-replica.mjs KUBECONFIG [unsharded]`
import { Socket } from 'node:net';
import { connect, loadConfig } from '@pintle/client';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { Manager } from '@pintle/operator';

const [kubeconfig, mode = 'sharded'] = process.argv.slice(2);
const sockets = new Set();
let closedBytes = 0;
const { connect: connectSocket } = Socket.prototype;
Socket.prototype.connect = function connectAndCount(...args) {
  sockets.add(this);
  this.once('close', () => {
    closedBytes += this.bytesRead;
    sockets.delete(this);
  });
  return connectSocket.apply(this, args);
};

const client = await connect(await loadConfig({ kubeconfig }));
const election = mode === 'sharded' ? { sharding: 'bench' } : { leaderElection: 'bench' };
const manager = new Manager({ client, name: 'bench', ...election });
let lags = [];
let reconciles = 0;
manager
  .controller(Secret)
  .options({ concurrency: 16 })
  .owns(ConfigMap)
  .filter(({ object }) => object.metadata.labels?.bench === 'yes')
  .reconcile(async ({ metadata: { name }, data }, ctx) => {
    const value = data?.value ?? '';
    await ctx.apply(ConfigMap, { metadata: { name, labels: { bench: 'yes' } }, data: { value } });
    reconciles++;
    const [number, sentMs] = Buffer.from(value, 'base64').toString().split(' ').map(Number);
    if (sentMs > 0) lags.push([number, Date.now() - sentMs]);
  });
const stop = new AbortController();
const running = manager.run({ signal: stop.signal });

process.on('message', async (message) => {
  if (message === 'stop') {
    stop.abort();
    await running;
    await client.close();
    if (process.connected) process.disconnect();
    return;
  }
  const { user, system } = process.cpuUsage();
  const bytes = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, closedBytes);
  process.send({
    cpuMs: (user + system) / 1_000,
    bytes,
    reconciles,
    lags,
    identity: manager.shards?.identity,
    rssMb: process.memoryUsage.rss() / 1e6,
  });
  lags = [];
});
