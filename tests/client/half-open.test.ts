import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { SeededRandom, SteppedClock } from '@pintle/async';
import { Client, type ClientConfig, ConfigTransport, Informer } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { describe, expect, test } from 'vitest';
import { unique, useSocketCluster } from '../helpers/cluster.ts';

const cluster = useSocketCluster();

describe.each([{ protocol: undefined }, { protocol: 'http/1.1' as const }])('over $protocol', ({ protocol }) => {
  test('a connection whose other end is gone without a word is noticed within 30 seconds', async () => {
    const { config, namespace } = cluster();
    await using road = await openRoad(config);
    await using calm = new Client({ transport: new ConfigTransport(config) });
    const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
    const transport = new ConfigTransport(road.config, { clock, ...(protocol && { protocol }) });
    await using client = new Client({ transport, clock });
    const test = unique('road');
    const create = (name: string) =>
      calm.create(ConfigMap, { metadata: { namespace, name: `${test}-${name}`, labels: { test } } });
    const select = { namespace, labelSelector: `test=${test}` };
    const informer = new Informer({ client, clock, random: new SeededRandom(1), type: ConfigMap, select });
    const stop = new AbortController();
    const running = informer.run(stop);
    await until(() => informer.isSynced);
    await create('before');
    await until(() => informer.cache.size === 1);

    road.freeze();
    await create('after');
    const frozenMs = clock.monotonic();
    await until(
      () => informer.cache.size === 2,
      () => clock.advance(500),
    );
    expect(clock.monotonic() - frozenMs).toBeLessThanOrEqual(30_000);
    stop.abort();
    await running;
    await calm.deleteAll(ConfigMap, select);
  });
});

/** Lets the loop turn until something holds; between turns something may be done. */
async function until(holds: () => boolean, step: () => unknown = () => undefined): Promise<void> {
  for (let turn = 1; turn <= 100_000 && !holds(); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (turn % 50 === 0) await step();
  }
  expect(holds()).toBe(true);
}

/** A way to the server that can be blocked: what travels on it then is lost, and nobody is told. */
async function openRoad(config: ClientConfig) {
  const { hostname, port } = new URL(config.cluster.server);
  const host = hostname.replace(/^\[|\]$/g, '');
  const travelling = new Set<Socket>();
  const server: Server = createServer((near) => {
    const far = connect(Number(port || 443), host);
    for (const socket of [near, far]) {
      travelling.add(socket);
      socket.on('error', () => undefined).on('close', () => travelling.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const freeze = (): void => {
    for (const socket of travelling)
      socket
        .unpipe()
        .removeAllListeners('data')
        .on('data', () => undefined);
  };
  const dispose = async (): Promise<void> => {
    for (const socket of travelling) socket.destroy();
    server.close();
  };
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tlsServerName = config.cluster.tlsServerName ?? (/^[\d.]+$/.test(host) ? undefined : host);
  const way = { ...config.cluster, server: address, ...(tlsServerName && { tlsServerName }) };
  return { config: { ...config, cluster: way }, freeze, [Symbol.asyncDispose]: dispose };
}
