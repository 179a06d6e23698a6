import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SteppedClock } from '@pintle/async';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from './connect.ts';
import type { ExecConfig, KubeconfigUser } from './kubeconfig.ts';

let server: Server;
let folder: string;
let clock: SteppedClock;
/** What the server lets in. */
let accepted: string | undefined;
let seen: (string | undefined)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pintle-connect-'));
  clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  accepted = undefined;
  seen = [];
  server = createServer((request, response) => {
    const { authorization } = request.headers;
    seen.push(authorization);
    const isIn = accepted === undefined || authorization === `Bearer ${accepted}`;
    response.writeHead(isIn ? 200 : 401, { 'content-type': 'application/json' });
    response.end(isIn ? '{}' : '{"kind":"Status","status":"Failure","reason":"Unauthorized","code":401}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(user: KubeconfigUser) {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { cluster: { server: address, insecureSkipVerify: false }, user, namespace: 'default' };
  const client = await connect(config, { clock, timeoutMs: 3_600_000 });
  return {
    ask: () => client.call({ method: 'GET', path: '/version' }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

test('a password is sent', async () => {
  await using client = await open({ username: 'jane', password: 'a:b' });
  await client.ask();
  expect(seen).toEqual([`Basic ${Buffer.from('jane:a:b').toString('base64')}`]);
});

test('an auth-provider that is gone says what to use', async () => {
  const user = { authProvider: { name: 'gcp', config: {} } };
  await expect(open(user)).rejects.toThrow('auth-provider "gcp" is not supported: use an exec plugin');
});

describe('a token file', () => {
  const write = (token: string) => writeFileSync(join(folder, 'token'), token);
  const user = () => ({ tokenFile: join(folder, 'token') });

  test('is read again as time passes', async () => {
    write('one\n');
    await using client = await open(user());
    await client.ask();
    write('two');
    await client.ask();
    await clock.advance(10_000);
    await client.ask();
    expect(seen).toEqual(['Bearer one', 'Bearer one', 'Bearer two']);
  });

  test('is read again when its token is refused', async () => {
    write('old');
    accepted = 'new';
    await using client = await open(user());
    await expect(client.ask()).rejects.toMatchObject({ code: 401 });
    write('new');
    await client.ask();
    expect(seen).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
  });

  test('may be away for a moment, but not from the start', async () => {
    await using client = await open(user());
    await expect(client.ask()).rejects.toMatchObject({ failure: { code: 'NoCredentials' } });
    write('one');
    await client.ask();
    renameSync(join(folder, 'token'), join(folder, 'gone'));
    await clock.advance(10_000);
    await client.ask();
    expect(seen).toEqual(['Bearer one', 'Bearer one']);
  });
});

describe('an exec plugin', () => {
  /** A plugin that counts its runs, notes what it was told, and prints what `print` makes of its run's number. */
  function plugin(print: string, more: Partial<ExecConfig> = {}): { exec: ExecConfig } {
    const command = join(folder, 'login');
    const script = `#!${process.execPath}
      const fs = require('node:fs');
      const runs = ${JSON.stringify(join(folder, 'runs'))};
      fs.appendFileSync(runs, process.env.KUBERNETES_EXEC_INFO + '\\n');
      const n = fs.readFileSync(runs, 'utf8').trim().split('\\n').length;
      const credential = (status) => console.log(JSON.stringify({
        apiVersion: JSON.parse(process.env.KUBERNETES_EXEC_INFO).apiVersion, kind: 'ExecCredential', status }));
      ${print}`;
    writeFileSync(command, script);
    chmodSync(command, 0o755);
    const apiVersion = 'client.authentication.k8s.io/v1';
    const fields = { apiVersion, command, args: [], env: {}, provideClusterInfo: false } as const;
    return { exec: { ...fields, interactiveMode: 'Never', ...more } };
  }
  const runs = () =>
    readFileSync(join(folder, 'runs'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('runs once for all who wait, and again when its token has expired', async () => {
    const print = "credential({ token: process.env.PREFIX + n, expirationTimestamp: '2026-01-01T00:10:00Z' })";
    await using client = await open(plugin(print, { env: { PREFIX: 'run-' } }));
    await Promise.all([client.ask(), client.ask(), client.ask()]);
    await clock.advance(599_000);
    await client.ask();
    expect(seen).toEqual(Array(4).fill('Bearer run-1'));
    await clock.advance(1_000);
    await client.ask();
    expect(seen.at(-1)).toBe('Bearer run-2');
  });

  test('runs again when its token is refused, and the request is made again', async () => {
    accepted = 'run-2';
    await using client = await open(plugin("credential({ token: 'run-' + n })"));
    await client.ask();
    expect(seen).toEqual(['Bearer run-1', 'Bearer run-2']);
  });

  test('whose tokens are never taken is not asked for ever', async () => {
    accepted = 'none';
    await using client = await open(plugin("credential({ token: 'run-' + n })"));
    await expect(client.ask()).rejects.toMatchObject({ code: 401 });
    expect(runs()).toHaveLength(2);
  });

  test('is told the version, and the cluster if it wants to know', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    await using client = await open(plugin("credential({ token: 't' })", { apiVersion, provideClusterInfo: true }));
    await client.ask();
    const told = { server: expect.stringContaining('http://127.0.0.1:'), config: null };
    expect(runs()).toEqual([{ kind: 'ExecCredential', apiVersion, spec: { cluster: told, interactive: false } }]);
  });

  const refuses = async (user: KubeconfigUser, message: string): Promise<void> => {
    await using client = await open(user);
    const asked = client.ask();
    await expect(asked).rejects.toMatchObject({ failure: { code: 'NoCredentials' } });
    await expect(asked).rejects.toThrow(message);
    expect(seen).toEqual([]);
  };
  test('that fails is quoted', () =>
    refuses(plugin("console.error('log in first'); process.exit(3)"), 'exited with 3: log in first'));
  test('that prints nonsense is named', () => refuses(plugin("console.log('hi')"), 'login did not print JSON'));
  test('that prints nothing useful is named', () =>
    refuses(plugin('credential({})'), 'neither a token nor a certificate'));
  test('that speaks another version is named', () =>
    refuses(
      plugin('console.log(\'{"kind":"ExecCredential","apiVersion":"x"}\')'),
      'did not print an ExecCredential of',
    ));
  test('that asks questions needs a terminal', () =>
    refuses(plugin('', { interactiveMode: 'Always' }), 'needs a terminal'));
  test('that is not installed comes with its hint', () =>
    refuses(
      plugin('', { command: 'no-such-login', installHint: 'brew install it' }),
      'cannot be started (brew install it)',
    ));
});
