import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SteppedClock } from '@pintle/async';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, issueCertificate } from '../../pki/index.ts';
import type { OidcOptions } from './oidc-authenticator.ts';
import { OidcAuthenticator } from './oidc-authenticator.ts';

interface Issuer extends AsyncDisposable {
  readonly url: string;
  readonly ca: string;
  readonly requests: string[];
  keys: { readonly id: string; readonly pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } }[];
  /** What is sent in the place of the key set. */
  override?: { readonly status: number; readonly text: string; readonly location?: string };
}

const newKey = (id: string) => ({ id, pair: generateKeyPairSync('rsa', { modulusLength: 2048 }) });
const clock = new SteppedClock({ startMs: Date.now() });
let issuer: Issuer;

beforeAll(async () => {
  issuer = await openIssuer();
});
afterAll(async () => await issuer[Symbol.asyncDispose]());

async function openIssuer(): Promise<Issuer> {
  const authority = await createAuthority('issuer-authority', 1, Date.now());
  const options = { commonName: 'issuer', hosts: ['127.0.0.1'], usage: 'server' as const, days: 1 };
  const pair = await issueCertificate(authority, options, Date.now());
  const requests: string[] = [];
  const server = createServer({ key: pair.privateKey, cert: pair.certificate }, (request, response) => {
    requests.push(request.url!);
    const { override } = self;
    if (request.url === '/keys' && override !== undefined) {
      response.writeHead(override.status, override.location ? { location: override.location } : {}).end(override.text);
      return;
    }
    const keys = self.keys.map(({ id, pair: { publicKey } }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: id,
      use: 'sig',
    }));
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer: self.url, jwks_uri: `${self.url}/keys` },
      '/keys': { keys },
    };
    response.end(JSON.stringify(documents[request.url!] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: Issuer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority.certificate,
    requests,
    keys: [newKey('first')],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

function authenticator(more: Partial<OidcOptions> = {}): OidcAuthenticator {
  return new OidcAuthenticator({ issuer: issuer.url, clientId: 'pintle', ca: issuer.ca, clock, ...more });
}

async function tokenWith(claims: object = {}, key = issuer.keys[0]!): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  return await new SignJWT({ iss: issuer.url, aud: 'pintle', sub: 'ann', exp: now + 60, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: key.id })
    .sign(key.pair.privateKey);
}

async function ask(token: string, by = authenticator()) {
  return await by.authenticate({
    method: 'GET',
    path: '/',
    query: '',
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(),
    signal: new AbortController().signal,
    peer: { address: '' },
  });
}

describe('An ID token', () => {
  test('is the user it names, told apart from others by the issuer', async () => {
    expect(await ask(await tokenWith())).toEqual({
      user: { username: `${issuer.url}#ann`, groups: ['system:authenticated'] },
      source: 'oidc',
    });
  });

  test('gives name and groups by the claims and prefixes chosen', async () => {
    const by = authenticator({
      usernameClaim: 'email',
      groupsClaim: 'teams',
      groupsPrefix: 'oidc:',
      requiredClaims: new Map([['hd', 'example.com']]),
    });
    const claims = { email: 'ann@example.com', email_verified: true, teams: ['red', 'blue'], hd: 'example.com' };
    expect(await ask(await tokenWith(claims), by)).toMatchObject({
      user: { username: 'ann@example.com', groups: ['oidc:red', 'oidc:blue', 'system:authenticated'] },
    });
    expect(await ask(await tokenWith({ ...claims, email_verified: false }), by)).toHaveProperty('refused');
    expect(await ask(await tokenWith({ ...claims, hd: 'other' }), by)).toHaveProperty('refused');
  });

  test.each<[string, object]>([
    ['meant for another', { aud: 'other' }],
    ['of another issuer', { iss: 'https://elsewhere.example.com' }],
    ['that is over', { exp: 1 }],
    ['without an end', { exp: undefined }],
    ['without a name', { sub: '' }],
  ])('%s is refused', async (_what, claims) => {
    expect(await ask(await tokenWith(claims))).toHaveProperty('refused');
  });

  test('of a key the issuer does not have is refused, and the issuer asked at most once in ten seconds', async () => {
    const by = authenticator();
    const stranger = newKey('first');
    expect(await ask(await tokenWith({}, stranger), by)).toHaveProperty('refused');
    issuer.requests.length = 0;
    for (let i = 0; i < 5; i++) await ask(await tokenWith({}, newKey(`unknown-${i}`)), by);
    expect(issuer.requests).toEqual([]);
  });

  test('that was good a moment ago is over on time', async () => {
    const by = authenticator();
    const token = await tokenWith({ exp: Math.floor(clock.now() / 1000) + 2 });
    expect(await ask(token, by)).toHaveProperty('user');
    await clock.advance(2_000);
    expect(await ask(token, by)).toHaveProperty('refused');
  });

  test('of a new key is taken once the issuer has told it', async () => {
    const by = authenticator();
    await ask(await tokenWith(), by);
    const second = newKey('second');
    issuer.keys = [...issuer.keys, second];
    await clock.advance(10_000);
    expect(await ask(await tokenWith({}, second), by)).toHaveProperty('user');
  });

  test.each<[string, NonNullable<Issuer['override']>]>([
    ['redirects', { status: 302, text: '', location: 'https://127.0.0.1:1/' }],
    ['sends too much', { status: 200, text: `{"keys":[${' '.repeat(2 * 1024 * 1024)}]}` }],
    ['sends no JSON', { status: 200, text: '<html>' }],
  ])('is refused while the issuer %s', async (_what, override) => {
    issuer.override = override;
    expect(await ask(await tokenWith())).toHaveProperty('refused');
    delete issuer.override;
  });
});

test('An issuer without TLS and a signature without a key are not taken', () => {
  expect(() => authenticator({ issuer: 'http://issuer.example.com' })).toThrow('it is not an https URL');
  expect(() => authenticator({ algorithms: ['HS256'] })).toThrow('Cannot use the signing algorithm HS256');
  expect(() => authenticator({ algorithms: ['none'] })).toThrow('Cannot use the signing algorithm none');
});
