import { SteppedClock } from '@pintle/async';
import type { ResourceType } from '@pintle/machinery';
import { expect, test } from 'vitest';
import { Client } from '../rest/client.ts';
import type { TransportRequest, TransportResponse } from '../transport/transport.ts';
import type { InformerOptions } from './informer.ts';
import { Informer } from './informer.ts';
import { SharedInformers } from './shared-informers.ts';

const Fruit: ResourceType = {
  group: 'example.com',
  version: 'v1',
  apiVersion: 'example.com/v1',
  kind: 'Fruit',
  plural: 'fruits',
  singular: 'fruit',
  scope: 'Namespaced',
} as unknown as ResourceType;

const fruit = (index: number, text = ''): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Fruit',
  metadata: { namespace: 'a', name: `f${index}`, resourceVersion: `${index + 1}` },
  spec: { text },
});

const line = (event: object): Uint8Array => Buffer.from(`${JSON.stringify(event)}\n`);

async function informed(
  send: (request: TransportRequest) => Promise<TransportResponse>,
  options: Partial<InformerOptions<never>> = {},
): Promise<Informer<never>> {
  const clock = new SteppedClock();
  const client = new Client({ transport: { send }, clock });
  const informer = new Informer<never>({ client, clock, type: Fruit as ResourceType<never>, ...options });
  return informer;
}

test('objects of a list are parsed as they arrive, so that a long list is parsed in many turns', async () => {
  const stop = new AbortController();
  let parsed = 0;
  const parsedAfterEach: number[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 4; i++) {
      yield line({ type: 'ADDED', object: fruit(i) });
      parsedAfterEach.push(parsed);
    }
    const metadata = { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } };
    yield line({ type: 'BOOKMARK', object: { metadata } });
    stop.abort();
  }
  const informer = await informed(async () => ({ status: 200, headers: {}, body: body() }), {
    transform: (object) => {
      parsed++;
      return object;
    },
  });
  await informer.run({ signal: stop.signal });
  expect(parsedAfterEach).toEqual([1, 2, 3, 4]);
  expect(informer.cache.size).toBe(4);
});

test('a list in pages has small pages of large objects, and large pages of small ones', async () => {
  const limitsFor = async (text: string): Promise<string[]> => {
    const stop = new AbortController();
    const limits: string[] = [];
    let sent = 0;
    const informer = await informed(
      async ({ query = '' }) => {
        const parameters = new URLSearchParams(query);
        if (parameters.has('watch')) stop.abort();
        const limit = Number(parameters.get('limit'));
        limits.push(parameters.get('limit') ?? '');
        const items = Array.from({ length: Math.min(limit, 20 - sent) }, () => fruit(sent++, text));
        const metadata = { resourceVersion: '99', ...(sent < 20 && { continue: `${sent}` }) };
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ metadata, items })) };
      },
      { streamsList: false },
    );
    await informer.run({ signal: stop.signal });
    return limits.slice(0, 3);
  };
  expect(await limitsFor('x'.repeat(100_000))).toEqual(['4', '2', '2']);
  expect((await limitsFor('x'))[1]).toBe('500');
});

test('metadata of a kind is shared apart from its whole objects', () => {
  const client = new Client({ transport: { send: async () => ({ status: 500, headers: {}, body: Buffer.from('') }) } });
  const informers = new SharedInformers({ client });
  const metadata = informers.share(Fruit, { isMetadataOnly: true });
  expect(informers.find(Fruit)).toBeUndefined();
  const whole = informers.share(Fruit);
  expect(whole.informer).not.toBe(metadata.informer);
  expect(informers.find(Fruit)).toBe(whole.informer);
});
