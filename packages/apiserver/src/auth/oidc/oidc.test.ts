import { createHmac, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@pintle/async';
import { SteppedClock } from '@pintle/async';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OidcOptions } from './oidc-authenticator.ts';
import { OidcAuthenticator } from './oidc-authenticator.ts';
import { OidcKeys } from './oidc-keys.ts';

interface Issuer extends AsyncDisposable {
  readonly url: string;
  readonly ca: string;
  readonly requests: string[];
  keys: { readonly id: string; readonly pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } }[];
  /** Where the configuration says the keys are. Default: with the issuer. */
  keysUrl?: string;
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
      '/.well-known/openid-configuration': { issuer: self.url, jwks_uri: self.keysUrl ?? `${self.url}/keys` },
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

/** A token put together by hand: what no library would sign. */
function forge(header: object, claims: object | string, sign: (input: string) => string): string {
  const part = (value: object | string) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${sign(input)}`;
}

const claimsNow = (more: object = {}) => ({
  iss: issuer.url,
  aud: 'pintle',
  sub: 'ann',
  exp: Math.floor(clock.now() / 1000) + 60,
  ...more,
});
const publicPem = () => issuer.keys[0]!.pair.publicKey.export({ format: 'pem', type: 'spki' });
const rsa = (key: KeyObject) => (input: string) => signBytes('sha256', Buffer.from(input), key).toString('base64url');

describe('A forged token is refused', () => {
  const stranger = newKey('first');
  test.each<[string, () => string]>([
    ['without a signature', () => forge({ alg: 'none' }, claimsNow(), () => '')],
    ['with an empty signature', () => forge({ alg: 'RS256', kid: 'first' }, claimsNow(), () => '')],
    [
      'signed with the public key as a secret',
      () =>
        forge({ alg: 'HS256', kid: 'first' }, claimsNow(), (input) =>
          createHmac('sha256', publicPem()).update(input).digest('base64url'),
        ),
    ],
    [
      'that brings its own key',
      () =>
        forge(
          { alg: 'RS256', kid: 'first', jwk: stranger.pair.publicKey.export({ format: 'jwk' }) },
          claimsNow(),
          rsa(stranger.pair.privateKey),
        ),
    ],
    [
      'that says where its key is',
      () =>
        forge(
          { alg: 'RS256', kid: 'first', jku: `${issuer.url}/stranger`, x5u: `${issuer.url}/stranger` },
          claimsNow(),
          rsa(stranger.pair.privateKey),
        ),
    ],
    [
      'whose key has a path for a name',
      () => forge({ alg: 'RS256', kid: '../../first' }, claimsNow(), rsa(stranger.pair.privateKey)),
    ],
    [
      'with a critical header nobody knows',
      () => forge({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 }, claimsNow(), rsa(issuer.keys[0]!.pair.privateKey)),
    ],
    [
      'of another algorithm',
      () => forge({ alg: 'RS512', kid: 'first' }, claimsNow(), rsa(issuer.keys[0]!.pair.privateKey)),
    ],
    ['that is no token', () => 'a.b.c'],
    ['that is null', () => forge({ alg: 'RS256' }, 'null', () => 'x')],
    ['that is deep', () => forge({ alg: 'RS256' }, '['.repeat(40_000), () => 'x')],
    ['that is huge', () => forge({ alg: 'RS256' }, claimsNow({ x: 'x'.repeat(80_000) }), () => 'x')],
  ])('%s', async (_what, token) => {
    issuer.requests.length = 0;
    expect(await ask(token())).toHaveProperty('refused');
    expect(issuer.requests.filter((path) => path.includes('stranger'))).toEqual([]);
  });
});

describe('A claim of another form than it should have gives nobody a name or a group', () => {
  const by = () => authenticator({ groupsClaim: 'groups', usernameClaim: 'name' });
  const signed = (claims: object | string) =>
    forge({ alg: 'RS256', kid: 'first' }, claims, rsa(issuer.keys[0]!.pair.privateKey));

  test.each<[string, object]>([
    ['a name that is a list', { name: ['ann'] }],
    ['a name that is an object', { name: { toString: 'ann' } }],
    ['a name that is a number', { name: 7 }],
    ['a name that is null', { name: null }],
    ['groups that are an object', { groups: { 'system:masters': true } }],
    ['groups that are a number', { groups: 7 }],
    ['a group that is a list', { groups: ['a', ['system:masters']] }],
    ['a group that is a number', { groups: ['a', 7] }],
    ['an end that is a text', { exp: '9999999999' }],
    ['an end that is null', { exp: null }],
    ['a beginning that is a text', { nbf: '0' }],
    ['a beginning that has not come', { nbf: 9_999_999_999 }],
    ['an audience that is an object', { aud: { pintle: true } }],
    ['an audience in an audience', { aud: [['pintle']] }],
    ['an issuer in a list', { iss: ['https://127.0.0.1'] }],
  ])('%s', async (_what, more) => {
    expect(await ask(signed(claimsNow({ name: 'ann', ...more })), by())).toHaveProperty('refused');
  });

  test('of two claims of one name the same counts everywhere', async () => {
    const claims = JSON.stringify(claimsNow({ name: 'ann' }));
    const twice = `${claims.slice(0, -1)},"name":"eve"}`;
    expect(await ask(signed(twice), by())).toMatchObject({ user: { username: `${issuer.url}#eve` } });
  });

  test('a prototype is no claim', async () => {
    const claims = JSON.stringify(claimsNow()).replace('{', '{"__proto__":{"name":"eve","groups":["system:masters"]},');
    expect(await ask(signed(claims), by())).toHaveProperty('refused');
  });
});

test('A token that does not name its key is tried with every key of the issuer, as Kubernetes does', async () => {
  const before = issuer.keys;
  issuer.keys = [newKey('old'), newKey('new')];
  const token = forge({ alg: 'RS256' }, claimsNow(), rsa(issuer.keys[1]!.pair.privateKey));
  expect(await ask(token)).toHaveProperty('user');
  expect(await ask(forge({ alg: 'RS256' }, claimsNow(), rsa(newKey('x').pair.privateKey)))).toHaveProperty('refused');
  issuer.keys = before;
});

test('A key that is replaced under its name is noticed, and forged tokens ask the issuer at most once in ten seconds', async () => {
  const before = issuer.keys;
  const by = authenticator();
  await ask(await tokenWith({}, before[0]), by);
  const replaced = newKey(before[0]!.id);
  issuer.keys = [replaced];
  await clock.advance(10_000);
  issuer.requests.length = 0;
  expect(await ask(await tokenWith({}, replaced), by)).toHaveProperty('user');
  for (let i = 0; i < 5; i++) expect(await ask(await tokenWith({ i }, before[0]), by)).toHaveProperty('refused');
  expect(issuer.requests).toHaveLength(2);
  issuer.keys = before;
});

test.each(['https://169.254.169.254/keys', 'https://[::ffff:169.254.169.254]/keys', 'https://0.0.0.0/keys'])(
  'keys are never fetched from %s, whatever the issuer says',
  async (keysUrl) => {
    issuer.keysUrl = keysUrl;
    const keys = new OidcKeys({ issuer: issuer.url, ca: issuer.ca, clock });
    await expect(keys.renew()).rejects.toThrow('the address is not allowed');
    delete issuer.keysUrl;
  },
);

test.each<[string, string]>([
  ['a key that is null', '{"keys":[null,KEY]}'],
  ['a key that is no key', '{"keys":[{"kty":"RSA","kid":"first","n":"","e":""},KEY]}'],
  ['a key of a kind nobody knows', '{"keys":[{"kty":"x","kid":"first"},KEY]}'],
  ['a secret key', '{"keys":[{"kty":"oct","kid":"first","k":"AAAA"},KEY]}'],
])('%s in the set does not take the others away', async (_what, text) => {
  const [{ pair }] = issuer.keys as [Issuer['keys'][0]];
  const key = JSON.stringify({ ...pair.publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' });
  issuer.override = { status: 200, text: text.replace('KEY', key) };
  expect(await ask(await tokenWith())).toHaveProperty('user');
  delete issuer.override;
});

test('A clock that is set back neither keeps the issuer from being asked nor a taken-back key believed', async () => {
  const jumping = { startMs: clock.now(), elapsedMs: 0 };
  const jumped: Clock = {
    now: () => jumping.startMs + jumping.elapsedMs,
    monotonic: () => jumping.elapsedMs,
    sleep: (ms, options) => clock.sleep(ms, options),
    setTimer: (ms, callback) => clock.setTimer(ms, callback),
  };
  const by = authenticator({ clock: jumped });
  const old = issuer.keys[0]!;
  const token = await tokenWith({ exp: Math.floor(clock.now() / 1000) + 600 }, old);
  expect(await ask(token, by)).toHaveProperty('user');
  issuer.keys = [newKey('after the jump')];
  jumping.startMs -= 24 * 60 * 60 * 1000;
  jumping.elapsedMs += 10_001;
  const next = await tokenWith({}, issuer.keys[0]!);
  expect(await ask(next, by)).toHaveProperty('user');
  expect(await ask(token, by)).toHaveProperty('refused');
});

test.each([
  ['one', [{ kty: 'RSA', n: 'AQ', e: 'AQAB' }]],
  [
    'several',
    [
      { kty: 'RSA', n: 'AQ', e: 'AQAB' },
      { kty: 'RSA', n: 'A'.repeat(9_000), e: 'AQAB' },
    ],
  ],
  ['one without numbers', [{ kty: 'RSA' }]],
  ['one on no curve', [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }]],
])('Keys of no use, %s, lock users out no longer than the issuer has them', async (_which, keys) => {
  const by = authenticator({ algorithms: ['RS256', 'ES256'] });
  const key = newKey(`useless ${keys.length}`);
  issuer.keys = [key];
  issuer.override = { status: 200, text: JSON.stringify({ keys: keys.map((each) => ({ ...each, kid: key.id })) }) };
  expect(await ask(await tokenWith({}, key), by)).toHaveProperty('refused');
  delete issuer.override;
  await clock.advance(10_001);
  expect(await ask(await tokenWith({}, key), by)).toHaveProperty('user');
});
