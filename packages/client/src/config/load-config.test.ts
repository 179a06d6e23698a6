import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { environmentProxy } from './environment-proxy.ts';
import { impersonationHeaders } from './impersonation.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import { loadConfig } from './load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const cluster = (name: string, fields: string) => `{name: ${name}, cluster: {${fields}}}`;
const config = (clusters: string, users = '', contexts = '{name: main, context: {cluster: main, user: me}}') =>
  `{apiVersion: v1, kind: Config, current-context: main, clusters: [${clusters}], users: [${users}], contexts: [${contexts}]}`;

describe('KUBECONFIG', () => {
  test('lists files of which the first wins, name by name; those that are missing count as empty', async () => {
    const first = write('first', config(cluster('main', 'server: "https://first"'), '', ''));
    const second = write(
      'second',
      config(cluster('main', 'server: "https://second"'), '{name: me, user: {token: t}}').replace(': main', ': other'),
    );
    const loaded = await loadConfig({ env: { KUBECONFIG: `${first}:${folder}/missing:${second}` } });
    expect(loaded).toMatchObject({ cluster: { server: 'https://first' }, user: { token: 't' }, context: 'main' });
  });

  test('unset means ~/.kube/config', async () => {
    write('home/.kube/config', config(cluster('main', 'server: "https://home"'), '{name: me, user: {}}'));
    const loaded = await loadConfig({ env: {}, home: join(folder, 'home') });
    expect(loaded.cluster.server).toBe('https://home');
    expect(loaded.namespace).toBe('default');
  });
});

test('paths are relative to the file they stand in', async () => {
  const user = '{name: me, user: {client-certificate: a.crt, client-key: /k, tokenFile: t, exec: ';
  const exec = '{apiVersion: client.authentication.k8s.io/v1beta1, command: ./bin/login, args: [x]}}}';
  const clusters = cluster('main', 'server: "https://x", certificate-authority: ../ca.crt');
  const loaded = await loadConfig({ kubeconfig: write('deep/config', config(clusters, user + exec)) });
  expect(loaded.cluster.ca).toEqual({ file: join(folder, 'ca.crt') });
  expect(loaded.user).toMatchObject({
    cert: { file: join(folder, 'deep/a.crt') },
    key: { file: '/k' },
    tokenFile: join(folder, 'deep/t'),
    exec: { command: join(folder, 'deep/bin/login'), interactiveMode: 'IfAvailable' },
  });
});

test('in a pod without a kubeconfig the service account is used', async () => {
  const serviceAccountFolder = join(folder, 'account');
  for (const [name, text] of Object.entries({ token: 'abc\n', 'ca.crt': 'CA', namespace: 'apps' }))
    write(`account/${name}`, text);
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  expect(await loadConfig({ env, home: '/nowhere', serviceAccountFolder })).toEqual({
    cluster: {
      server: 'https://[fd00::1]:443',
      insecureSkipVerify: false,
      ca: { file: join(serviceAccountFolder, 'ca.crt') },
    },
    user: { tokenFile: join(serviceAccountFolder, 'token') },
    namespace: 'apps',
  });
});

describe('what cannot be used says why:', () => {
  const refused = async (text: string, message: string): Promise<void> => {
    const loading = loadConfig({ kubeconfig: write('bad', text) });
    await expect(loading).rejects.toMatchObject({ name: 'ClientError', failure: { code: 'BadConfig' } });
    await expect(loading).rejects.toThrow(message);
  };
  const main = cluster('main', 'server: "https://x"');
  const me = (fields: string) => `{name: me, user: {${fields}}}`;

  test('nothing anywhere', () =>
    expect(loadConfig({ env: {}, home: '/nowhere' })).rejects.toThrow(
      'no kubeconfig at /nowhere/.kube/config, and this process is not in a pod',
    ));
  test('a missing file', () => expect(loadConfig({ kubeconfig: '/nowhere' })).rejects.toThrow('cannot read /nowhere'));
  test('no YAML', () => refused('a: [', 'is not valid YAML'));
  test('another kind', () => refused('kind: Pod', 'has kind Pod, not Config'));
  test('no context', () =>
    refused(
      config(main).replace('current-context: main, ', ''),
      'no context is selected: available contexts are main',
    ));
  test('an unknown context', () => refused(config(main, '', ''), 'context "main" does not exist'));
  test('an unknown cluster', () => refused(config('', me('')), 'refers to cluster "main", which does not exist'));
  test('an unknown user', () => refused(config(main), 'refers to user "me", which does not exist'));
  test('no server', () => refused(config(cluster('main', ''), me('')), 'cluster "main" has no server'));
  test('a number as a token', () => refused(config(main, me('token: 12')), 'token must be a string'));
  test('bad base64', () => refused(config(main, me('client-key-data: "?"')), 'client-key-data is not base64'));
  test('half a certificate', () => refused(config(main, me('client-key: x')), 'a client key without a certificate'));
  test('two ways in', () => refused(config(main, me('token: t, username: u')), 'sets both a token and a password'));
  test('groups of nobody', () =>
    refused(config(main, me('as-groups: [g]')), 'sets as-groups, as-uid or as-user-extra without "as"'));
  test('an old plugin', () =>
    refused(config(main, me('exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}')), 'v1alpha1'));
  test('a plugin of no mode', () =>
    refused(config(main, me('exec: {command: x, apiVersion: client.authentication.k8s.io/v1}')), 'interactiveMode'));
  test('a CA that is not to be looked at', () =>
    refused(
      config(cluster('main', 'server: "https://x", certificate-authority: a, insecure-skip-tls-verify: true'), me('')),
      'set one of them',
    ));
});

test('hostile names are names', async () => {
  const text =
    '{"users": [{"name": "__proto__", "user": {"token": "t", "as": "x", "as-user-extra": {"__proto__": ["y"]}}}]}';
  const { users } = await parseKubeconfig(text);
  expect(users.get('__proto__')?.token).toBe('t');
  expect(({} as { token?: string }).token).toBeUndefined();
});

test('impersonation is told in headers', () => {
  const extra = { 'Example.org/Scopes': ['view', 'dev'] };
  expect(impersonationHeaders({ user: 'jane', uid: '7', groups: ['a', 'b'], extra })).toEqual({
    'impersonate-user': 'jane',
    'impersonate-uid': '7',
    'impersonate-group': ['a', 'b'],
    'impersonate-extra-example.org%2fscopes': ['view', 'dev'],
  });
});

describe('the proxy of the environment', () => {
  const check = (server: string, noProxy: string, proxy: string | undefined): void => {
    expect(environmentProxy(server, { HTTPS_PROXY: 'proxy:3128', no_proxy: noProxy })).toBe(proxy);
  };
  test('is used', () => check('https://api.example.com', '', 'http://proxy:3128'));
  test('is not for this machine', () => check('https://127.0.0.1:6443', '', undefined));
  test('is for its scheme', () => check('http://api.example.com', '', undefined));
  test('leaves out domains', () => check('https://api.example.com', 'x,example.com', undefined));
  test('leaves out subdomains', () => check('https://example.com', '.example.com', 'http://proxy:3128'));
  test('leaves out ports', () => check('https://example.com:6443', 'example.com:443', 'http://proxy:3128'));
  test('leaves out ranges', () => check('https://10.2.3.4', '10.0.0.0/8', undefined));
  test('leaves out everything', () => check('https://10.2.3.4', '*', undefined));
});
