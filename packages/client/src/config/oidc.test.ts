import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SteppedClock } from '@pintle/async';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OidcProvider, tokenEndpointOf } from './oidc.ts';

const start = Date.UTC(2026, 0, 1);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (name: string, expiresInSeconds: number) =>
  `${encode({ alg: 'none' })}.${encode({ sub: name, exp: start / 1_000 + expiresInSeconds })}.`;

let issuer: Server;
let address: string;
let asked: string[];
/** The tokens that the issuer gives next. */
let tokens: { readonly id_token?: string; readonly refresh_token?: string }[];

beforeEach(async () => {
  asked = [];
  tokens = [];
  issuer = createServer(async (request, response) => {
    let form = '';
    for await (const chunk of request) form += chunk;
    const isToken = request.url === '/token';
    if (isToken) asked.push(form);
    const next = isToken ? tokens.shift() : { token_endpoint: `${address}/token` };
    response.writeHead(next === undefined ? 400 : 200).end(JSON.stringify(next ?? {}));
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
});

afterEach(() => {
  issuer.closeAllConnections();
  issuer.close();
});

const open = (config: Record<string, string>, clock = new SteppedClock({ startMs: start })) =>
  new OidcProvider({ 'idp-issuer-url': address, 'client-id': 'kube', 'client-secret': 's', ...config }, clock);

test('a token is used until shortly before it expires, then renewed once for all', async () => {
  const clock = new SteppedClock({ startMs: start });
  const [first, second] = [token('first', 60), token('second', 120)];
  tokens = [{ id_token: second, refresh_token: 'r2' }];
  const provider = open({ 'id-token': first, 'refresh-token': 'r1' }, clock);
  expect(await provider.current()).toEqual({ authorization: `Bearer ${first}` });
  await clock.advance(50_000);
  const both = await Promise.all([provider.current(), provider.current()]);
  expect(both).toEqual(Array(2).fill({ authorization: `Bearer ${second}` }));
  expect(asked).toEqual(['grant_type=refresh_token&refresh_token=r1&client_id=kube&client_secret=s']);
});

test('a token that is refused is renewed', async () => {
  const first = token('first', 60);
  tokens = [{ id_token: token('second', 60) }];
  const provider = open({ 'id-token': first, 'refresh-token': 'r1' });
  expect(await provider.renew(await provider.current())).toBe(true);
  expect(asked).toHaveLength(1);
});

test('what cannot be renewed says so', async () => {
  const old = { 'id-token': token('old', -1) };
  await expect(open(old).current()).rejects.toThrow('the ID token has expired');
  await expect(open({ ...old, 'refresh-token': 'r1' }).current()).rejects.toThrow('/token answered 400');
  expect(await open(old).renew({})).toBe(false);
});

test('an issuer that does not answer is given up', async () => {
  const clock = new SteppedClock({ startMs: start });
  const asked = new Promise<void>((resolve) => {
    issuer.removeAllListeners('request').on('request', () => resolve());
  });
  const provider = open({ 'id-token': token('old', -1), 'refresh-token': 'r1' }, clock);
  const current = provider.current();
  current.catch(() => undefined);
  await asked;
  await clock.advance(30_000);
  await expect(current).rejects.toThrow('Cannot wait for http://127.0.0.1');
});

test('secrets are not sent without TLS because an issuer says so', () => {
  const at = (endpoint?: string) => () => tokenEndpointOf('https://issuer.example.com', endpoint);
  expect(at('http://issuer.example.com/token')).toThrow('has a token_endpoint without TLS');
  expect(at('HTTP://169.254.169.254/')).toThrow('has a token_endpoint without TLS');
  expect(at('/token')).toThrow('has no valid token_endpoint');
  expect(at()).toThrow('has no valid token_endpoint');
  expect(at('https://other.example.com/token')()).toBe('https://other.example.com/token');
});
