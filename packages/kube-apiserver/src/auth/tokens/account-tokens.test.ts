import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { AuditEvent } from '@pintle/apiserver';
import { describe, expect, test } from 'vitest';
import type { KubeApiServerOptions } from '../../kube-api-server.ts';
import { textOf } from '../../testing/open-test-server.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const pemOf = () =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const KEY = pemOf();

async function openWithRobot(options: Partial<KubeApiServerOptions> = {}): Promise<TestApi> {
  const api = await openTestApi({ serviceAccounts: { keys: () => ({ signing: KEY }) }, ...options });
  await api.post(ACCOUNTS, { metadata: { name: 'robot' } });
  return api;
}

async function tokenOf(api: TestApi, spec: object = {}, name = 'robot'): Promise<string> {
  const { body } = await api.post(`${ACCOUNTS}/${name}/token`, { spec });
  return (body.status as { token: string }).token;
}

/** Sends a request with nothing but a token. */
async function send(api: TestApi, token: string, method = 'POST', path = WHO) {
  const response = await api.server.server.handle({
    method,
    path,
    query: '',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: Buffer.from('{}'),
    signal: new AbortController().signal,
    peer: { address: '' },
  });
  return { status: response.status, body: JSON.parse(await textOf(response)) };
}

const statusOf = async (api: TestApi, token: string) => (await send(api, token)).status;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());

describe('A token of a service account', () => {
  test('is that account', async () => {
    await using api = await openWithRobot();
    const { body } = await send(api, await tokenOf(api));
    expect(body.status.userInfo).toMatchObject({
      username: 'system:serviceaccount:default:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
    });
  });

  test('ends on time', async () => {
    await using api = await openWithRobot();
    const token = await tokenOf(api, { expirationSeconds: 600 });
    await api.server.clock.advance(599_999);
    expect(await statusOf(api, token)).toBe(201);
    await api.server.clock.advance(1);
    expect(await statusOf(api, token)).toBe(401);
  });

  test('ends with its account, also when one of the same name comes', async () => {
    await using api = await openWithRobot();
    const token = await tokenOf(api);
    expect(await statusOf(api, token)).toBe(201);
    await api.delete(`${ACCOUNTS}/robot`);
    expect(await statusOf(api, token)).toBe(401);
    await api.post(ACCOUNTS, { metadata: { name: 'robot' } });
    expect(await statusOf(api, token)).toBe(401);
  });

  test.each<[string, string, string, object]>([
    ['Secret', '/api/v1/namespaces/default/secrets', 'anchor', {}],
    ['Pod', '/api/v1/namespaces/default/pods', 'anchor', podSpec()],
    ['Node', '/api/v1/nodes', 'anchor', {}],
  ])('that is bound to a %s ends with it', async (kind, path, name, rest) => {
    await using api = await openWithRobot();
    await api.post(path, { metadata: { name }, ...rest });
    const token = await tokenOf(api, { boundObjectRef: { apiVersion: 'v1', kind, name } });
    expect(await statusOf(api, token)).toBe(201);
    await api.delete(`${path}/${name}`, { gracePeriodSeconds: 0 });
    expect(await statusOf(api, token)).toBe(401);
    await api.post(path, { metadata: { name }, ...rest });
    expect(await statusOf(api, token)).toBe(401);
  });

  test('lives a minute longer than what it is bound to was to end', async () => {
    await using api = await openWithRobot();
    const path = '/api/v1/namespaces/default/secrets';
    await api.post(path, { metadata: { name: 'anchor', finalizers: ['example.com/held'] } });
    const token = await tokenOf(api, { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'anchor' } });
    await api.delete(`${path}/anchor`);
    await api.server.clock.advance(60_000);
    expect(await statusOf(api, token)).toBe(201);
    await api.server.clock.advance(1_000);
    expect(await statusOf(api, token)).toBe(401);
  });

  test('is bound to nothing that could not be in a path', async () => {
    await using api = await openWithRobot();
    const spec = { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'a/b' } };
    const { body } = await api.post(`${ACCOUNTS}/robot/token`, { spec });
    expect(body).toMatchObject({ code: 400, message: `Name parameter invalid: "a/b": may not contain '/'` });
  });

  test('is good for those it is meant for alone', async () => {
    await using api = await openWithRobot();
    const token = await tokenOf(api, { audiences: ['elsewhere'] });
    expect(await statusOf(api, token)).toBe(401);
    const review = (audiences: string[]) =>
      api.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } });
    expect((await review(['other', 'elsewhere'])).body.status).toMatchObject({
      authenticated: true,
      audiences: ['elsewhere'],
    });
    expect((await review(['other'])).body.status).toEqual({
      user: {},
      error: '[invalid bearer token, token audiences ["elsewhere"] is invalid for the target audiences ["other"]]',
    });
  });
});

function podSpec(): object {
  return { spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] } };
}

describe('A forged token', () => {
  const master = { sub: 'system:serviceaccount:kube-system:root' };
  const forgeries: readonly [string, (token: string) => string][] = [
    ['with another subject', (token) => splice(token, 1, encode({ ...payloadOf(token), ...master }))],
    ['without an algorithm', (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`],
    ['signed with the public key as a secret', (token) => hmac(token)],
    ['signed by somebody else', (token) => resign(token, pemOf(), headerOf(token))],
    ['signed by somebody else, without a key id', (token) => resign(token, pemOf(), { alg: 'ES256' })],
    ['that names a file as its key', (token) => resign(token, pemOf(), { alg: 'ES256', kid: '../../dev/null' })],
    ['of another issuer', (token) => resign(token, KEY, headerOf(token), { iss: 'https://elsewhere' })],
    ['of another kind', (token) => resign(token, KEY, headerOf(token), { 'kubernetes.io': {} })],
    ['whose account is not its subject', (token) => resign(token, KEY, headerOf(token), master)],
    ['that is not valid yet', (token) => resign(token, KEY, headerOf(token), { nbf: 4_102_444_800 })],
    ['without an end', (token) => resign(token, KEY, headerOf(token), { exp: undefined })],
    ['that is very long', (token) => `${token}${'x'.repeat(20_000)}`],
    ['with two parts', (token) => token.slice(0, token.lastIndexOf('.'))],
  ];

  test.each(forgeries)('%s is refused, even where none is needed', async (_what, forge) => {
    await using api = await openWithRobot();
    const token = forge(await tokenOf(api));
    expect(await statusOf(api, token)).toBe(401);
    expect((await send(api, token, 'GET', '/version')).status).toBe(401);
  });

  test('is told apart by whoever may review tokens: by its key, or by its signature', async () => {
    await using api = await openWithRobot();
    const token = await tokenOf(api);
    const errorOf = async (forged: string) =>
      (await api.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: forged } })).body.status;
    const said = (text: string) => ({ user: {}, error: `[invalid bearer token, ${text}]` });
    expect(await errorOf(token.slice(0, -4))).toEqual(said('go-jose/go-jose: error in cryptographic primitive'));
    const other = resign(token, pemOf(), { alg: 'ES256', kid: 'other' });
    expect(await errorOf(other)).toEqual(said('invalid signature, no keys found'));
  });

  function splice(token: string, index: number, part: string): string {
    return token
      .split('.')
      .map((own, i) => (i === index ? part : own))
      .join('.');
  }

  function hmac(token: string): string {
    const publicPem = createPublicKey(createPrivateKey(KEY)).export({ type: 'spki', format: 'pem' });
    const signed = `${encode({ ...headerOf(token), alg: 'HS256' })}.${token.split('.')[1]}`;
    return `${signed}.${createHmac('sha256', publicPem).update(signed).digest('base64url')}`;
  }

  function resign(token: string, pem: string, header: object, changes: object = {}): string {
    const signed = `${encode(header)}.${encode({ ...payloadOf(token), ...changes })}`;
    const key = { key: createPrivateKey(pem), dsaEncoding: 'ieee-p1363' as const };
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  }
});

describe('A token that is kept in a Secret', () => {
  const SECRETS = '/api/v1/namespaces/default/secrets';

  async function openWithSecret(): Promise<{ api: TestApi; token: string }> {
    const api = await openWithRobot();
    const { uid = '' } = (await api.get(`${ACCOUNTS}/robot`)).body.metadata;
    const account = { name: 'robot', uid };
    const token = await api.server.server.signSecretToken({ namespace: 'default', secret: 'kept', account });
    await api.post(SECRETS, {
      metadata: { name: 'kept', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      type: 'kubernetes.io/service-account-token',
      data: { token: Buffer.from(token).toString('base64') },
    });
    return { api, token };
  }

  test('counts as long as the Secret holds it', async () => {
    const { api, token } = await openWithSecret();
    await using _api = api;
    expect(await statusOf(api, token)).toBe(201);
    await api.merge(`${SECRETS}/kept`, { data: { token: Buffer.from('other').toString('base64') } });
    expect(await statusOf(api, token)).toBe(401);
  });

  test('ends with the Secret, and when it is declared void', async () => {
    const { api, token } = await openWithSecret();
    await using _api = api;
    await api.merge(`${SECRETS}/kept`, { metadata: { labels: { 'kubernetes.io/legacy-token-invalid-since': 'x' } } });
    expect(await statusOf(api, token)).toBe(401);
    await api.merge(`${SECRETS}/kept`, { metadata: { labels: null } });
    expect(await statusOf(api, token)).toBe(201);
    await api.delete(`${SECRETS}/kept`);
    expect(await statusOf(api, token)).toBe(401);
  });
});

test('The audit says whose token was used and which, and never the token', async () => {
  const events: AuditEvent[] = [];
  const policy = { rules: [{ level: 'RequestResponse' as const }] };
  await using api = await openWithRobot({ audit: { sink: { write: (event) => void events.push(event) }, policy } });
  const token = await tokenOf(api);
  await send(api, token);
  await api.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  await send(api, `${token}x`);
  expect(JSON.stringify(events)).not.toContain(token.split('.')[2]);
  const used = events.filter(({ user }) => user.username === 'system:serviceaccount:default:robot');
  expect(used.at(-1)).toMatchObject({
    user: { extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] } },
    annotations: { 'pintle.dev/authenticated-by': 'serviceaccount' },
  });
  expect(events.at(-1)).toMatchObject({ user: {}, responseStatus: { code: 401 } });
});

describe('Keys', () => {
  test('of old still verify, and all are told to others', async () => {
    const old = pemOf();
    await using before = await openWithRobot({ serviceAccounts: { keys: () => ({ signing: old }) } });
    const token = await tokenOf(before);
    const keys = () => ({ signing: KEY, verifying: [old] });
    await using after = await openTestApi({ store: before.server.store, serviceAccounts: { keys } });
    expect(await statusOf(after, token)).toBe(201);
    expect(headerOf(await tokenOf(after)).kid).not.toBe(headerOf(token).kid);
    const { body } = await after.get('/openid/v1/jwks', { headers: { accept: '*/*' } });
    expect(body.keys).toHaveLength(2);
    expect(JSON.stringify(body.keys)).not.toContain('"d"');
  });
});
