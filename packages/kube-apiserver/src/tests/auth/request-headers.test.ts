import { X509Certificate } from 'node:crypto';
import { CertificateAuthenticator } from '@pintle/apiserver';
import { SteppedClock } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { beforeAll, describe, expect, test } from 'vitest';
import { textOf } from '../../testing/open-test-server.ts';
import { openTestApi } from '../../testing/test-api.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
let clients: KeyPair;
let proxies: KeyPair;

beforeAll(async () => {
  clients = await createAuthority('clients', 10, NOW);
  proxies = await createAuthority('proxies', 10, NOW);
});

const remote = {
  'x-remote-user': 'ann',
  'x-remote-group': ['growers', 'a, b'],
  'x-remote-uid': 'u1',
  'x-remote-extra-example.com%2fteam': 'red',
};

async function ask(
  authority: KeyPair | undefined,
  commonName: string,
  headers: object = remote,
  issuedMs = NOW,
  trusted = proxies,
) {
  const requestHeaders = {
    authorities: trusted.certificate,
    allowedNames: ['front'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraPrefixes: ['X-Remote-Extra-'],
  };
  const clock = new SteppedClock({ startMs: NOW });
  const authenticator = new CertificateAuthenticator({ authorities: clients.certificate, clock });
  await using api = await openTestApi({ requestHeaders, authenticator });
  const pair = authority && (await issueCertificate(authority, { commonName, usage: 'client', days: 1 }, issuedMs));
  const response = await api.server.server.handle({
    method: 'POST',
    path: WHO,
    query: '',
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from('{}'),
    signal: new AbortController().signal,
    peer: { address: '', ...(pair && { certificate: new X509Certificate(pair.certificate).raw }) },
  });
  const body = JSON.parse(await textOf(response));
  return response.status === 201 ? body.status.userInfo : response.status;
}

describe('Headers that name a user', () => {
  test('are not believed of a proxy whose certificate is over, or not valid yet', async () => {
    const day = 24 * 60 * 60 * 1000;
    expect(await ask(proxies, 'front', remote, NOW - 2 * day)).not.toHaveProperty('username', 'ann');
    expect(await ask(proxies, 'front', remote, NOW + 2 * day)).not.toHaveProperty('username', 'ann');
  });

  test('are not believed of a proxy whose authority is over', async () => {
    const old = await createAuthority('proxies', 10, NOW - 20 * 24 * 60 * 60 * 1000);
    expect(await ask(old, 'front', remote, NOW, old)).not.toHaveProperty('username', 'ann');
  });

  test('are believed of a proxy with the right certificate and name', async () => {
    expect(await ask(proxies, 'front')).toEqual({
      username: 'ann',
      uid: 'u1',
      groups: ['growers', 'a, b', 'system:authenticated'],
      extra: { 'example.com/team': ['red'] },
    });
  });

  test.each<[string, object]>([
    ['the anonymous user', { 'x-remote-user': 'system:anonymous', 'x-remote-group': 'system:unauthenticated' }],
    ['the anonymous user without groups', { 'x-remote-user': 'system:anonymous' }],
    ['somebody of the group of strangers', { 'x-remote-user': 'ann', 'x-remote-group': 'system:unauthenticated' }],
  ])('do not give %s the rights of authenticated users', async (_who, headers) => {
    expect(await ask(proxies, 'front', headers)).toBe(403);
  });

  test('are not believed of a proxy of another name', async () => expect(await ask(proxies, 'other')).toBe(401));

  test('are not believed of a client', async () => {
    expect(await ask(clients, 'bob')).toMatchObject({ username: 'bob', groups: ['system:authenticated'] });
  });

  test('are not believed of a stranger', async () => expect(await ask(undefined, '')).toBe(403));
});

test('Servers that extend this one are told which proxies to believe, at every start', async () => {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  const headers = { usernameHeaders: ['X-U'], uidHeaders: [], groupHeaders: [], extraPrefixes: [] };
  const requestHeaders = { authorities: proxies.certificate, allowedNames: ['front'], ...headers };
  await using first = await openTestApi({ bootstrap: { clientCa: 'OLD' } });
  const again = await openTestApi({ store: first.server.store, bootstrap: { clientCa: 'NEW' }, requestHeaders });
  expect((await again.get(path)).body.data).toMatchObject({
    'client-ca-file': 'NEW',
    'requestheader-client-ca-file': proxies.certificate,
    'requestheader-allowed-names': '["front"]',
    'requestheader-username-headers': '["X-U"]',
  });
});
