import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authOf, readProxyPair } from './auth-flags.ts';
import { parseFlags } from './flags.ts';

let folder: string;
let clientCa: string;
let jane: X509Certificate;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pintle-auth-flags-'));
  const clients = await createAuthority('clients', 1, Date.now());
  clientCa = clients.certificate;
  const issued = await issueCertificate(clients, { commonName: 'jane', usage: 'client', days: 1 }, Date.now());
  jane = new X509Certificate(issued.certificate);
  await writeFile(join(folder, 'clients.crt'), clientCa);
  await writeFile(join(folder, 'proxies.crt'), (await createAuthority('proxies', 1, Date.now())).certificate);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  await writeFile(join(folder, 'signer.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const flagsOf = (...args: string[]) => parseFlags(args.map((arg) => arg.replace('DIR', folder)));
const read = (...args: string[]) => authOf(flagsOf(...args), { authorities: clientCa }, 'ROOT');

describe('The flags of kube-apiserver', () => {
  test('leave all as it is when none is given', async () => {
    const { authorization, anonymous, requestHeaders } = await read();
    expect([authorization, anonymous, requestHeaders]).toEqual([undefined, undefined, undefined]);
  });

  test('choose who decides and what strangers may', async () => {
    expect(await read('--authorization-mode=Node,RBAC', '--anonymous-auth=false')).toMatchObject({
      authorization: ['Node', 'RBAC'],
      anonymous: 'none',
    });
    for (const flag of ['--anonymous-auth=true', '--secure-port=1'])
      expect(await read('--authorization-mode=RBAC,AlwaysAllow', flag)).toMatchObject({ anonymous: 'none' });
    await expect(read('--authorization-mode=Magic')).rejects.toThrow('Cannot use --authorization-mode=Magic');
    expect(() => read('--anonymous-auth=perhaps')).toThrow('Cannot use --anonymous-auth=perhaps');
  });

  test('take an AuthorizationConfiguration whose authorizers are here, and no other', async () => {
    const config = (authorizers: object, more: object = {}) => ({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers,
      ...more,
    });
    const ask = async (value: object, ...args: string[]) => {
      await writeFile(join(folder, 'authz.yaml'), JSON.stringify(value));
      return await read('--authorization-config=DIR/authz.yaml', ...args);
    };
    const node = { type: 'Node', name: 'node' };
    expect(await ask(config([node, { type: 'RBAC', name: 'rbac' }]))).toMatchObject({
      authorization: ['Node', 'RBAC'],
    });
    const webhook = { type: 'Webhook', name: 'w', webhook: { timeout: '3s' } };
    await expect(ask(config([webhook, node]))).rejects.toThrow('Webhook is not one of');
    await expect(ask(config([{ ...node, matchConditions: [] }]))).rejects.toThrow('has no field matchConditions');
    await expect(ask(config([node], { more: 1 }))).rejects.toThrow('unknown field more');
    await expect(ask(config([]))).rejects.toThrow('it has no authorizers');
    await expect(ask({ kind: 'Pod' })).rejects.toThrow('it is not an AuthorizationConfiguration');
    await expect(ask(config([node]), '--authorization-mode=RBAC')).rejects.toThrow('pass only one of them');
    await expect(read('--authorization-config=/nope')).rejects.toThrow('Cannot use --authorization-config=/nope: ');
  });

  test('name the keys of tokens, as envtest does: a certificate to verify, a key to sign', async () => {
    const { serviceAccounts } = await read(
      '--service-account-issuer=https://127.0.0.1:1/',
      '--service-account-key-file=DIR/clients.crt',
      '--service-account-signing-key-file=DIR/signer.key',
      '--api-audiences=a,b',
      '--service-account-max-token-expiration=2h',
    );
    expect(serviceAccounts).toMatchObject({
      issuers: ['https://127.0.0.1:1/'],
      audiences: ['a', 'b'],
      maxSeconds: 7200,
      rootCa: 'ROOT',
    });
    expect((await serviceAccounts.keys!()).signing).toContain('PRIVATE KEY');
    await writeFile(join(folder, 'bad.key'), 'nothing');
    await expect(read('--service-account-key-file=DIR/bad.key')).rejects.toThrow('there is no PEM in it');
  });

  test('keep a key in the data folder, for its owner alone', async () => {
    const { serviceAccounts } = await read('--data=DIR');
    const first = await serviceAccounts.keys!();
    expect(await serviceAccounts.keys!()).toEqual(first);
    expect((await stat(join(folder, 'service-account.key'))).mode & 0o777).toBe(0o600);
  });

  test('take an OpenID issuer whole or not at all', async () => {
    await expect(read('--oidc-issuer-url=https://issuer.example.com')).rejects.toThrow('pass both');
    await expect(read('--oidc-issuer-url=http://a', '--oidc-client-id=b')).rejects.toThrow('it is not an https URL');
  });

  test('do not let clients pass for proxies', async () => {
    await expect(read('--requestheader-client-ca-file=DIR/clients.crt')).rejects.toThrow('Name the proxies');
    expect(
      await read('--requestheader-client-ca-file=DIR/proxies.crt', '--requestheader-username-headers=X-Remote-User'),
    ).toMatchObject({ requestHeaders: { allowedNames: [], usernameHeaders: ['X-Remote-User'] } });
  });

  test('list client certificates that count no longer, as openssl or the audit log name them', async () => {
    const ask = async (...args: string[]) => {
      const { authenticator } = await read(...args);
      const peer = { address: '', certificate: jane.raw };
      const rest = { body: new Uint8Array(), signal: new AbortController().signal, headers: {} };
      return await authenticator.authenticate({ method: 'GET', path: '/', query: '', ...rest, peer });
    };
    const list = async (text: string) => {
      await writeFile(join(folder, 'revoked'), text);
      return await ask('--revoked-client-certificates-file=DIR/revoked');
    };
    const fingerprint = jane.fingerprint256;
    expect(await ask()).toHaveProperty('user');
    expect(await list(`# lost in a train\n\n${'ab'.repeat(32)}\n`)).toHaveProperty('user');
    expect(await list(`sha256 Fingerprint=${fingerprint} # hers`)).toHaveProperty('refused');
    expect(await list(`X509SHA256=${fingerprint.replaceAll(':', '').toLowerCase()}`)).toHaveProperty('refused');
    await expect(list('jane')).rejects.toThrow('"jane" is not a SHA-256 fingerprint');
  });

  test('take the certificate for other servers with its key or not at all', async () => {
    const readPair = (...args: string[]) => readProxyPair(flagsOf(...args));
    await expect(readPair('--proxy-client-cert-file=DIR/proxies.crt')).rejects.toThrow('pass both');
    const both = await readPair('--proxy-client-cert-file=DIR/proxies.crt', '--proxy-client-key-file=DIR/proxies.crt');
    expect(both?.certificate).toContain('BEGIN CERTIFICATE');
    expect(await readPair()).toBeUndefined();
  });
});
