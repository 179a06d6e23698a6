import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const MAPS = '/api/v1/namespaces/default/configmaps';

async function* neverEnding(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{');
  await new Promise(() => {});
}

describe('deadline', () => {
  test('a request that takes too long is answered with 504', async () => {
    await using api = await openTestServer();
    const answer = api.send('POST', `${MAPS}?timeout=2s`, { body: neverEnding() });
    await api.clock.advance(2_000);
    const response = await answer;
    expect(response.status).toBe(504);
    expect(JSON.parse(await textOf(response))).toMatchObject({
      reason: 'Timeout',
      message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    });
  });

  test('without a wish, or with too long a one, it is a minute', async () => {
    await using api = await openTestServer();
    for (const query of ['', '?timeout=0s', '?timeout=1h', '?timeout=-3s']) {
      let status: number | undefined;
      const answer = api.send('POST', `${MAPS}${query}`, { body: neverEnding() }).then((response) => {
        status = response.status;
      });
      await api.clock.advance(59_999);
      expect(status).toBeUndefined();
      await api.clock.advance(1);
      await answer;
      expect(status).toBe(504);
    }
  });

  test('a timeout that is no duration is refused', async () => {
    await using api = await openTestServer();
    const response = await api.send('GET', `${MAPS}/a?timeout=soon`);
    expect(response.status).toBe(400);
    expect(JSON.parse(await textOf(response)).message).toBe(
      'invalid timeout specified in the request URL - time: invalid duration "soon"',
    );
  });

  test('a watch has none', async () => {
    await using api = await openTestServer();
    const gone = new AbortController();
    const response = await api.send('GET', `${MAPS}?watch=true&timeout=1s`, { signal: gone.signal });
    const text = textOf(response);
    await api.clock.advance(120_000);
    await api.send('POST', MAPS, { body: configMap('late', {}) });
    await api.clock.advance(1);
    gone.abort();
    expect(await text).toContain('"late"');
  });
});

describe('compression', () => {
  const big = configMap('big', { text: 'x'.repeat(200_000) });

  test('large answers are compressed for those who accept it', async () => {
    await using api = await openTestServer();
    await api.send('POST', MAPS, { body: big });
    for (const path of [`${MAPS}/big`, MAPS]) {
      const response = await api.send('GET', path, { headers: { 'accept-encoding': 'br, gzip' } });
      expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(gunzipSync(await bytesOf(response.body)).toString()).toContain('x'.repeat(200_000));
    }
  });

  test.each(['GZIP ; q=0.001', '*;q=1.00', 'br;q=1, gzip;q=.5 ', ' gzip;Q=1.'])(
    'an encoding may have a weight: %s',
    async (value) => {
      await using api = await openTestServer();
      await api.send('POST', MAPS, { body: big });
      const response = await api.send('GET', `${MAPS}/big`, { headers: { 'accept-encoding': value } });
      expect(response.headers['content-encoding']).toBe('gzip');
      await bytesOf(response.body);
    },
  );

  test('others get them as they are', async () => {
    await using api = await openTestServer();
    await api.send('POST', MAPS, { body: big });
    const refusals = ['gzip;q=0, br', 'gzip;q=0.000', 'gzip;q=2', 'gzip;q=1;q=1', `gzip;q=.${'1'.repeat(1_000_000)}x`];
    for (const headers of [{}, ...refusals.map((value) => ({ 'accept-encoding': value }))]) {
      const response = await api.send('GET', `${MAPS}/big`, { headers });
      expect(response.headers['content-encoding']).toBeUndefined();
      expect(response.headers.vary).toBe('Accept-Encoding');
    }
  });

  test('small answers and watches are sent as they are', async () => {
    await using api = await openTestServer();
    await api.send('POST', MAPS, { body: big });
    const headers = { 'accept-encoding': 'gzip' };
    const small = await api.send('GET', '/api/v1/namespaces/default', { headers });
    expect(small.headers['content-encoding']).toBeUndefined();
    const gone = new AbortController();
    const watch = await api.send('GET', `${MAPS}?watch=true`, { headers, signal: gone.signal });
    gone.abort();
    await textOf(watch);
    expect(watch.headers['content-encoding']).toBeUndefined();
  });
});

test('bodies are read as they come, whatever their encoding is said to be', async () => {
  await using api = await openTestServer();
  const headers = { 'content-encoding': 'gzip' };
  const packed = gzipSync(JSON.stringify(configMap('a', {})));
  expect((await api.send('POST', MAPS, { body: packed, headers })).status).toBe(400);
  expect((await api.send('POST', MAPS, { body: configMap('a', {}), headers })).status).toBe(201);
});

test.each([
  ['application/json; charset', 415],
  ['application/json;;', 415],
  ['application/json;', 201],
  ['application/json; charset="utf-8"', 201],
])('a body of type %s', async (type, status) => {
  await using api = await openTestServer();
  const request = { body: configMap('a', {}), headers: { 'content-type': type } };
  expect((await api.send('POST', MAPS, request)).status).toBe(status);
});

test('resources have no HEAD; paths do', async () => {
  await using api = await openTestServer();
  expect((await api.send('HEAD', '/api/v1/namespaces/default')).status).toBe(405);
  expect((await api.send('HEAD', MAPS)).status).toBe(405);
  expect((await api.send('HEAD', '/readyz')).status).toBe(200);
});

test('on shutdown readiness fails, watches end and other requests go on', async () => {
  await using api = await openTestServer();
  const watch = textOf(await api.send('GET', `${MAPS}?watch=true`));
  expect((await api.send('GET', '/readyz')).status).toBe(200);
  api.server.beginShutdown();
  await watch;
  const ready = await api.send('GET', '/readyz');
  expect(ready.status).toBe(500);
  expect(await textOf(ready)).toContain('[-]shutdown failed');
  expect((await api.send('GET', '/livez')).status).toBe(200);
  expect((await api.send('POST', MAPS, { body: configMap('a', {}) })).status).toBe(201);
});

test('an audit id that no header can carry is replaced', async () => {
  await using api = await openTestServer();
  const sent = await api.send('GET', '/version', { headers: { 'audit-id': 'mine' } });
  expect(sent.headers['audit-id']).toBe('mine');
  const bad = await api.send('GET', '/version', { headers: { 'audit-id': 'a\u0000b' } });
  expect(bad.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
});

async function bytesOf(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
