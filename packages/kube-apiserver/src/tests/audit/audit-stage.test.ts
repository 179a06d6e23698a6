import type { AuditEvent, AuditPolicy, Authenticator } from '@pintle/apiserver';
import { deferred } from '@pintle/async';
import { expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

async function openAudited(policy?: AuditPolicy): Promise<{ api: TestServer; events: AuditEvent[] }> {
  const events: AuditEvent[] = [];
  const sink = { write: (event: AuditEvent) => void events.push(event) };
  const api = await openTestServer({ audit: { sink, ...(policy && { policy }) } });
  events.length = 0;
  return { api, events };
}

test('by default one event says who did what, and no body is in it', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  const headers = { 'user-agent': 'kubectl', 'audit-id': 'abc' };
  await api.send('POST', '/api/v1/namespaces?fieldManager=me', { body: namespace('shop'), headers });

  expect(events).toEqual([
    {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'abc',
      stage: 'ResponseComplete',
      requestURI: '/api/v1/namespaces?fieldManager=me',
      verb: 'create',
      user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      userAgent: 'kubectl',
      objectRef: { resource: 'namespaces', apiVersion: 'v1', name: 'shop' },
      responseStatus: { metadata: {}, code: 201 },
      requestReceivedTimestamp: '2026-01-02T03:04:05.000000Z',
      stageTimestamp: '2026-01-02T03:04:05.000000Z',
      annotations: {
        'pintle.dev/authenticated-by': 'in-process',
        'authorization.k8s.io/decision': 'allow',
        'authorization.k8s.io/reason': expect.any(String),
      },
    },
  ]);
});

test('what a client calls itself is written up to a point', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  await api.send('GET', '/api/v1/namespaces', { headers: { 'user-agent': 'x'.repeat(1_025) } });
  await api.send('GET', '/api/v1/namespaces', { headers: { 'user-agent': 'x'.repeat(1_024) } });
  expect(events.map(({ userAgent }) => userAgent)).toEqual([`${'x'.repeat(1_024)}...TRUNCATED`, 'x'.repeat(1_024)]);
});

test('of a refusal that quotes megabytes some kilobytes are written', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  const labels = Object.fromEntries(Array.from({ length: 2_000 }, (_unused, i) => [`_${i}`, 'x'.repeat(100)]));
  await api.send('POST', '/api/v1/namespaces', { body: { metadata: { name: '_'.repeat(1_000_000), labels } } });
  expect(events[0]?.responseStatus).toMatchObject({ code: 422, reason: 'Invalid' });
  expect(JSON.stringify(events[0]).length).toBeLessThan(32 * 1024);
});

test('a refusal is written with its reason', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  await api.send('GET', '/api/v1/nodes', { user: { username: 'jane', groups: [] } });
  expect(events[0]).toMatchObject({
    responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403 },
    annotations: { 'authorization.k8s.io/decision': 'forbid' },
  });
});

test('what was refused is written down with the bodies and the name of what was sent', async () => {
  const { api, events } = await openAudited({ rules: [{ level: 'RequestResponse' }] });
  await using _ = api;
  await api.send('POST', '/api/v1/namespaces', { body: namespace('default') });
  const details = { name: 'default', kind: 'namespaces' };
  expect(events[1]).toMatchObject({
    objectRef: { name: 'default' },
    responseStatus: { reason: 'AlreadyExists', details, code: 409 },
    requestObject: namespace('default'),
    responseObject: { kind: 'Status', apiVersion: 'v1', reason: 'AlreadyExists', details },
  });
});

test('a Status that is answered stands in the event, and a page without one is a number', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  await api.send('POST', '/api/v1/namespaces/default/configmaps', { body: map });
  await api.send('DELETE', '/api/v1/namespaces/default/configmaps/a');
  await api.send('GET', '/nowhere');
  await api.send('GET', '/livez/ping');
  expect(events.slice(1).map(({ responseStatus }) => responseStatus)).toEqual([
    { metadata: {}, status: 'Success', details: { name: 'a', kind: 'configmaps', uid: expect.any(String) }, code: 200 },
    { metadata: {}, code: 404 },
    { metadata: {}, code: 200 },
  ]);
});

test('what is deprecated is marked', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  await api.send('GET', '/api/v1/endpoints');
  await api.send('GET', '/api/v1/nodes');
  expect(events.map(({ annotations }) => annotations?.['k8s.io/deprecated'])).toEqual(['true', undefined]);
});

test('an impersonated user stands beside the one who impersonates', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  await api.send('GET', '/api/v1/nodes', { headers: { 'impersonate-user': 'jane' } });
  expect(events[0]?.user.username).toBe('admin');
  expect(events[0]?.impersonatedUser?.username).toBe('jane');
});

test('bodies are written at the levels that ask for them, without managed fields', async () => {
  const rules = [{ level: 'RequestResponse' as const }];
  const { api, events } = await openAudited({ rules, omitManagedFields: true });
  await using _ = api;
  await api.send('POST', '/api/v1/namespaces', { body: namespace('shop') });
  expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
  expect(events[1]?.requestObject).toEqual(namespace('shop'));
  expect(events[1]?.responseObject).toMatchObject({ kind: 'Namespace', metadata: { name: 'shop' } });
  expect(JSON.stringify(events[1]?.responseObject)).not.toContain('managedFields');
});

test('the bodies of secrets stay out of the log whatever the policy says', async () => {
  const { api, events } = await openAudited({ rules: [{ level: 'RequestResponse' }] });
  await using _ = api;
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { password: 'hunter2' } };
  const response = await api.send('POST', '/api/v1/namespaces/default/secrets', { body: secret });
  expect(response.status).toBe(201);
  expect(JSON.stringify(events)).not.toContain('hunter2');
  expect(JSON.stringify(events)).not.toContain(Buffer.from('hunter2').toString('base64'));
});

test('a watch that is refused has started and is over', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  await api.send('GET', '/api/v1/namespaces?watch=true&labelSelector=((');
  expect(events.map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
    ['ResponseStarted', 400],
    ['ResponseComplete', 400],
  ]);
});

test('a watch is written when it starts and when it is over', async () => {
  const { api, events } = await openAudited();
  await using _ = api;
  const gone = new AbortController();
  const response = await api.send('GET', '/api/v1/namespaces?watch=true', { signal: gone.signal });
  expect(events.map(({ stage }) => stage)).toEqual(['ResponseStarted']);
  gone.abort();
  await textOf(response);
  expect(events.map(({ stage }) => stage)).toEqual(['ResponseStarted', 'ResponseComplete']);
});

test('events of requests without a good credential have a sink of their own', async () => {
  const [users, strangers]: [AuditEvent[], AuditEvent[]] = [[], []];
  const sinkOf = (events: AuditEvent[]) => ({ write: (event: AuditEvent) => void events.push(event) });
  const authenticator: Authenticator = {
    authenticate: ({ headers: { authorization } }) => {
      if (authorization === undefined) return undefined;
      const user = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
      return authorization === 'good' ? { user, source: 'test' } : { refused: 'bad' };
    },
  };
  await using api = await openTestServer({
    authenticator,
    audit: { sink: sinkOf(users), anonymousSink: sinkOf(strangers) },
  });
  users.length = 0;
  const send = (path: string, authorization?: string) =>
    api.server.handle({
      method: 'GET',
      path,
      query: '',
      headers: { authorization },
      body: new Uint8Array(),
      signal: new AbortController().signal,
      peer: { address: '' },
    });
  await send('/api/v1/pods');
  await send('/healthz');
  await send('/livez/ping');
  await send('/version');
  await send('/healthz', 'wrong');
  expect(users).toEqual([]);
  expect(strangers.map(({ requestURI, stage }) => `${requestURI} ${stage}`)).toEqual([
    '/api/v1/pods ResponseComplete',
    '/healthz ResponseStarted',
  ]);
  // Somebody whom an authenticator calls by the name of strangers is none.
  await send('/api/v1/pods', 'good');
  expect(users).toHaveLength(1);
});

test('a strict log that cannot be written refuses requests before they change anything', async () => {
  const sink = { isFailing: true, write: () => {} };
  await using api = await openTestServer({
    audit: { sink, policy: { rules: [{ level: 'Metadata' }] }, isStrict: true },
  });
  const refused = await api.send('POST', '/api/v1/namespaces', { body: namespace('shop') });
  expect([refused.status, await textOf(refused)]).toEqual([
    500,
    expect.stringContaining('failed to store audit event'),
  ]);
  sink.isFailing = false;
  expect((await api.send('GET', '/api/v1/namespaces/shop')).status).toBe(404);
});

test('a response waits until another process has written its event, and a strict log refuses once that has failed', async () => {
  const seen: string[] = [];
  let written = deferred();
  const sink = {
    isFailing: false,
    write: ({ stage }: AuditEvent) => void seen.push(stage),
    written: () => written.promise,
  };
  written.resolve();
  await using api = await openTestServer({
    audit: { sink, policy: { rules: [{ level: 'Metadata' }] }, isStrict: true },
  });
  const change = async (work: () => Promise<{ readonly status: number }>): Promise<unknown[]> => {
    written = deferred();
    seen.length = 0;
    let status: number | undefined;
    const done = work().then((response) => {
      status = response.status;
    });
    await expect.poll(() => seen).toEqual(['RequestReceived']);
    const received = written;
    written = deferred();
    received.resolve();
    await Promise.race([expect.poll(() => seen.length).toBe(2), done]);
    const early = status;
    written.resolve();
    await done;
    return [early, status];
  };
  const create = (name: string) => change(() => api.send('POST', '/api/v1/namespaces', { body: namespace(name) }));
  expect(await create('shop')).toEqual([undefined, 201]);
  expect(await create('shop')).toEqual([undefined, 409]);
  sink.isFailing = true;
  expect((await create('refused'))[1]).toBe(500);
  sink.isFailing = false;
  expect((await api.send('GET', '/api/v1/namespaces/refused')).status).toBe(404);
});

test('events, and those that were lost, are counted', async () => {
  const sink = { dropped: 3, write: () => {} };
  await using api = await openTestServer({ audit: { sink } });
  await api.send('GET', '/api/v1/namespaces');
  const text = await textOf(await api.send('GET', '/metrics'));
  expect(text).toMatch(/^# TYPE apiserver_audit_event_total counter\napiserver_audit_event_total [1-9]/m);
  expect(text).toMatch(/^apiserver_audit_error_total 3$/m);
});
