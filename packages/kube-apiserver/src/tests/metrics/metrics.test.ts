import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';

async function scrape(server: TestServer): Promise<(name: string, ...labels: string[]) => string[]> {
  const response = await server.send('GET', '/metrics');
  expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=underscores');
  const lines = (await textOf(response)).split('\n');
  return (name, ...labels) =>
    lines.filter((line) => line.startsWith(name) && labels.every((label) => line.includes(label)));
}

describe('metrics', () => {
  test('count and time requests by what they ask for', async () => {
    await using server = await openTestServer();
    await server.send('POST', QUOTAS, { body: { metadata: { name: 'a' } } });
    await server.send('GET', `${QUOTAS}/none`);
    const found = await scrape(server);
    const labels = ['group=""', 'version="v1"', 'resource="resourcequotas"', 'component="apiserver"'];
    expect(found('apiserver_request_total', ...labels, 'verb="POST"', 'scope="resource"', 'code="201"')).toHaveLength(
      1,
    );
    expect(found('apiserver_request_total', ...labels, 'verb="GET"', 'code="404"')).toHaveLength(1);
    expect(found('apiserver_request_duration_seconds_count', ...labels)).toHaveLength(2);
    expect(found('apiserver_request_sli_duration_seconds_count', ...labels)).toHaveLength(2);
    expect(found('apiserver_request_sli_duration_seconds_bucket', ...labels, 'le="0.05"')).toHaveLength(2);
    expect(found('apiserver_request_sli_duration_seconds', 'dry_run')).toEqual([]);
    expect(found('apiserver_storage_objects{resource="resourcequotas"}')).toEqual([
      'apiserver_storage_objects{resource="resourcequotas"} 1',
    ]);
    expect(found('kubernetes_build_info', 'minor="36"')).toHaveLength(1);
    expect(found('process_cpu_seconds_total')).toHaveLength(1);
    expect(found('nodejs_eventloop_lag_seconds')).toHaveLength(1);
  });

  test('tell how much the store keeps of the past', async () => {
    await using server = await openTestServer();
    for (let i = 0; i < 10; i++) await server.send('POST', QUOTAS, { body: { metadata: { name: `q${i}` } } });
    const found = await scrape(server);
    const { revisions, memoryBytes } = server.store.history;
    expect(found('pintle_store_history_revisions ')).toEqual([`pintle_store_history_revisions ${revisions}`]);
    expect(found('pintle_store_history_bytes', 'place="memory"')).toEqual([
      `pintle_store_history_bytes{place="memory"} ${memoryBytes}`,
    ]);
    expect(found('pintle_store_history_bytes', 'place="disk"')).toEqual(['pintle_store_history_bytes{place="disk"} 0']);
    expect(memoryBytes).toBeGreaterThan(10 * 256);
  });

  test('have no labels that clients can make up', async () => {
    await using server = await openTestServer();
    for (let i = 0; i < 20; i++) {
      await server.send('GET', `/apis/group-${i}.io/v${i}/things-${i}/name/sub-${i}`);
      await server.send('GET', `/made-up-${i}`);
      await server.send(`M${i}`, `/livez`);
      await server.send('GET', `${QUOTAS}/a/sub-${i}?dryRun=${i}`);
    }
    const found = await scrape(server);
    expect(found('apiserver_request_total', 'code="404"').length).toBeLessThan(6);
    expect(found('apiserver_request_total', 'verb="OTHER"')).toHaveLength(1);
  });

  test('count watches while they are open, and their events', async () => {
    await using server = await openTestServer();
    const { body } = await server.send('GET', `${QUOTAS}?watch=true`);
    const events = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await server.send('POST', QUOTAS, { body: { metadata: { name: 'a' } } });
    await events.next();
    const labels = ['resource="resourcequotas"', 'version="v1"'];
    const during = await scrape(server);
    expect(during('apiserver_longrunning_requests', 'verb="WATCH"', ...labels)[0]).toMatch(/ 1$/);
    expect(during('apiserver_watch_events_total', ...labels)[0]).toMatch(/ 1$/);
    await events.return?.();
    const after = await scrape(server);
    expect(after('apiserver_longrunning_requests', 'verb="WATCH"', ...labels)[0]).toMatch(/ 0$/);
    expect(after('apiserver_request_total', 'verb="WATCH"', 'code="200"', ...labels)).toHaveLength(1);
    expect(after('apiserver_current_inflight_requests{request_kind="readOnly"}')[0]).toMatch(/ 1$/);
  });

  test('count the events of a watch one by one, however many are sent at once', async () => {
    await using server = await openTestServer();
    for (const name of ['a', 'b', 'c']) await server.send('POST', QUOTAS, { body: { metadata: { name } } });
    const { body } = await server.send('GET', `${QUOTAS}?watch=true`);
    const events = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const { value } = await events.next();
    expect(Buffer.from(value).toString().trimEnd().split('\n')).toHaveLength(3);
    expect((await scrape(server))('apiserver_watch_events_total', 'resource="resourcequotas"')[0]).toMatch(/ 3$/);
    await events.return?.();
  });

  test('are only for those who may read them', async () => {
    await using server = await openTestServer();
    const user = { username: 'jane', groups: ['system:authenticated'] };
    expect((await server.send('GET', '/metrics', { user })).status).toBe(403);
  });
});

test('a scrape adds up the processes of a server, and shows once what they share', async () => {
  await using other = await openTestServer();
  await other.send('GET', '/api/v1/namespaces');
  await using api = await openTestServer({ otherMetrics: () => [{ textOf: (name) => other.server.metricsOf(name) }] });
  await api.send('GET', '/api/v1/namespaces');
  const scrape = async (from: typeof api) => await textOf(await from.send('GET', '/metrics'));
  const alone = await scrape(other);
  const all = await scrape(api);
  const valueIn = (text: string, name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1),
    );
  const requests = [...alone.matchAll(/^(apiserver_request_total\{verb="LIST".*\}) \d+$/gm)].map(([, name]) => name!);
  expect(requests).not.toEqual([]);
  for (const name of requests) expect(valueIn(all, name), name).toBe(2);
  expect(valueIn(all, 'pintle_server_processes')).toBe(2);
  expect(valueIn(all, 'apiserver_storage_objects{resource="namespaces"}')).toBe(
    valueIn(alone, 'apiserver_storage_objects{resource="namespaces"}'),
  );
  expect(valueIn(all, 'process_resident_memory_bytes')).toBeGreaterThan(
    valueIn(alone, 'process_resident_memory_bytes'),
  );
  const names = all.split('\n').filter((line) => line.startsWith('# TYPE '));
  expect(new Set(names).size).toBe(names.length);
});
