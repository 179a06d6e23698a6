import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { chooseContext } from './client-config.ts';
import { connect } from './connect.ts';
import { parseKubeconfig } from './kubeconfig.ts';

/** Every field that kubectl honours. Nobody listens at the server, and the plugin asks for a terminal. */
const exec = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'no-such-login',
  args: ['a'],
  env: [{ name: 'A', value: 'b' }],
  installHint: 'hint',
  provideClusterInfo: true,
  interactiveMode: 'Always',
};
const pem = (text: string) => Buffer.from(`-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`);
const cluster = {
  server: 'https://127.0.0.1:1',
  'tls-server-name': 'x',
  'insecure-skip-tls-verify': false,
  'certificate-authority': '/nowhere/ca',
  'certificate-authority-data': pem('ca').toString('base64'),
  'proxy-url': 'http://127.0.0.1:1',
  'disable-compression': true,
  extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { a: 1 } }],
};
const impersonate = { as: 'jane', 'as-uid': '1', 'as-groups': ['g'], 'as-user-extra': { k: ['v'] } };
const users = [
  { token: 't', tokenFile: '/nowhere/token', ...impersonate },
  { username: 'u', password: 'p' },
  {
    'client-certificate': '/nowhere/c',
    'client-certificate-data': 'YQ==',
    'client-key': '/k',
    'client-key-data': 'YQ==',
  },
  { exec },
  { 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'http://127.0.0.1:1', 'refresh-token': 'r' } } },
];
const whole = (user: object) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'main',
  clusters: [{ name: 'main', cluster }],
  users: [{ name: 'me', user }],
  contexts: [{ name: 'main', context: { cluster: 'main', user: 'me', namespace: 'n' } }],
});

const nasty = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n',
    'a\r\nx: y',
    '\0',
    '½',
    '__proto__',
    '..',
    'ftp://x',
    'socks5://127.0.0.1:1',
    'http://',
    '[::',
  ),
  fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as unknown),
);

test('whatever a kubeconfig holds, what cannot be used is a ClientError', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...users), fc.nat(), nasty, async (user, position, value) => {
      const config = structuredClone(whole(user));
      const places = placesIn(config);
      const [holder, key] = places[position % places.length]!;
      // A plugin must not become one that is there.
      if (key === 'command' && typeof value === 'string') return;
      Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
      await expect(use(JSON.stringify(config))).rejects.toBeInstanceOf(ClientError);
    }),
    { numRuns: 500 },
  );
});

test('whatever bytes stand in place of a kubeconfig, what is wrong is a ClientError', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      await expect(use(bytes)).rejects.toBeInstanceOf(ClientError);
    }),
    { numRuns: 200 },
  );
});

test('certificates that are none are named before anything is sent', async () => {
  const user = { 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==' };
  const config = { ...whole(user), clusters: [{ name: 'main', cluster: { server: 'https://127.0.0.1:1' } }] };
  await expect(use(JSON.stringify(config))).rejects.toMatchObject({ failure: { code: 'BadConfig' } });
});

/** Goes as far as to send a request, which nobody hears. */
async function use(text: string | Uint8Array): Promise<never> {
  const config = chooseContext(await parseKubeconfig(text));
  await using client = await connect(config, { retry: false });
  await client.call({ method: 'GET', path: '/version' });
  throw new Error('somebody answered');
}

function placesIn(value: object): [object, string][] {
  return Object.entries(value).flatMap(([key, child]): [object, string][] => {
    const here: [object, string] = [value, key];
    return typeof child === 'object' && child !== null ? [here, ...placesIn(child)] : [here];
  });
}
