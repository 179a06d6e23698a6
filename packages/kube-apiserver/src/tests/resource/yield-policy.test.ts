import { setImmediate } from 'node:timers';
import { LARGE_BYTES } from '@pintle/apiserver/testing';
import { describe, expect, test } from 'vitest';
import { openTestServer } from '../../testing/open-test-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('others go first many times while a large object is', () => {
  type Request = (name: string, text: string) => [method: string, path: string, type: string, body: object];
  const json = 'application/json';
  const requests: readonly [what: string, least: number, request: Request][] = [
    ['created', 5, (name, a) => ['POST', CONFIG_MAPS, json, { metadata: { name: `new-${name}` }, data: { a } }]],
    ['replaced', 9, (name, a) => ['PUT', `${CONFIG_MAPS}/${name}`, json, { metadata: { name }, data: { a, b: '' } }]],
    ['patched', 9, (name) => ['PATCH', `${CONFIG_MAPS}/${name}`, 'application/merge-patch+json', { data: { b: '' } }]],
    [
      'applied to',
      7,
      (name) => {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { b: '' } };
        return ['PATCH', `${CONFIG_MAPS}/${name}?fieldManager=me`, 'application/apply-patch+yaml', body];
      },
    ],
  ];

  test.each(requests)('%s', async (_what, least, request) => {
    await using server = await openTestServer();
    const turns: Record<string, number> = {};
    for (const [name, text] of [
      ['first', ''],
      ['small', ''],
      ['large', 'x'.repeat(LARGE_BYTES)],
    ] as const) {
      await server.send('POST', CONFIG_MAPS, { body: { metadata: { name }, data: { a: text } } });
      const [method, path, type, body] = request(name, text);
      turns[name] = await turnsOf(async () => {
        const { status } = await server.send(method, path, { body, headers: { 'content-type': type } });
        expect(status).toBeLessThan(300);
      });
    }
    expect(turns.large! - turns.small!).toBeGreaterThanOrEqual(least);
  });

  /** Turns of the event loop while it is done. */
  async function turnsOf(act: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await act();
    isDone = true;
    return turns;
  }
});
