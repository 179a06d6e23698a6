import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { OpenedConsole, START_MS } from './opened-console.ts';
import { MADE_BY_PAYLOADS, PAYLOADS } from './payloads.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const MAIN = join(ROOT, 'packages', 'cli', 'dist', 'main.js');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const WAIT = { timeout: 30_000 };
const LONG = { timeout: START_MS };
const USER = 'system:serviceaccount:fruits-system:fruits';

/** Wakes itself with each status of `loop`; all others are due again in a minute. */
const RECONCILE = `await new Promise((resolve) => setTimeout(resolve, 50));
    if (fruit.metadata.name !== 'loop') return { requeueAfterMs: 60_000 };
    ctx.status({ seen: new Date().toISOString() });`;

/** An operator that is deployed: with the role from its sources, and a token of its pod. */
describe.skipIf(!hasBrowser())('an operator that runs elsewhere', () => {
  let parent: string;
  let project: string;
  let opened: OpenedConsole;
  let operator: Operator;
  let pod: { readonly name: string; readonly uid: string };

  const pintle = async (line: string, cwd = project): Promise<string> => {
    const env = { ...process.env, VITEST: '', NO_COLOR: '1' };
    return (await promisify(execFile)(process.execPath, [MAIN, ...line.split(' ')], { cwd, env })).stdout;
  };
  const edit = (file: string, pattern: RegExp, by: string): void => {
    const path = join(project, file);
    const before = readFileSync(path, 'utf8');
    if (!pattern.test(before)) throw new Error(`${file} has no ${pattern}`);
    writeFileSync(path, before.replace(pattern, by));
  };
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answered = await opened.ask(method, path, body);
    if (answered.status >= 300) throw new Error(`${method} ${path}: ${answered.status} ${answered.body}`);
    return JSON.parse(answered.body) as T;
  };
  const pane = () => opened.page.getByRole('region', { name: 'fruits', exact: true });
  const audited = () =>
    readFileSync(join(opened.folder, 'data', 'audit.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ user, requestURI }) => user.username === USER && requestURI.startsWith('/console/'));

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'pintle-reports-'));
    project = join(parent, 'fruits');
    symlinkSync(join(ROOT, 'node_modules'), join(parent, 'node_modules'));
    await pintle('init fruits --domain example.com --yes', parent);
    await pintle('create api --group food --version v1 --kind Fruit');
    edit('src/fruit/fruit-controller.ts', /ctx\.status\([^;]*;/, RECONCILE);
    rmSync(join(project, 'src', 'fruit', 'fruit-controller.test.ts'), { force: true });
    edit('src/main.ts', /new Manager\(\{/, 'new Manager({\n  telemetry: true,');
    await pintle('generate manifests');
    await promisify(execFile)(process.execPath, [TSC], { cwd: project });
    opened = await OpenedConsole.open({ flags: ['--audit-log-mode', 'blocking'], keepsData: true });
    await pintle(`deploy --no-wait --kubeconfig ${opened.kubeconfig}`);
    pod = await untilPod();
    operator = await Operator.start(project, await kubeconfigOf());
    for (const name of ['apple', 'loop'])
      await ask('POST', '/apis/food.example.com/v1/namespaces/default/fruits', {
        apiVersion: 'food.example.com/v1',
        kind: 'Fruit',
        metadata: { name },
        spec: {},
      });
  }, 2 * START_MS);

  afterAll(async () => {
    await operator?.stop();
    await opened?.close();
    if (parent !== undefined) rmSync(parent, { recursive: true, force: true });
  }, START_MS);

  /** The pod of the Deployment; without a node it never runs. */
  async function untilPod(): Promise<{ readonly name: string; readonly uid: string }> {
    for (;;) {
      const { items } = await ask<{ items: { metadata: { name: string; uid: string } }[] }>(
        'GET',
        '/api/v1/namespaces/fruits-system/pods',
      );
      if (items[0] !== undefined) return items[0].metadata;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** As a kubelet would get it for the pod. */
  async function kubeconfigOf(): Promise<string> {
    const bound = { kind: 'Pod', apiVersion: 'v1', name: pod.name, uid: pod.uid };
    const { status } = await ask<{ status: { token: string } }>(
      'POST',
      '/api/v1/namespaces/fruits-system/serviceaccounts/fruits/token',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef: bound } },
    );
    const text = readFileSync(opened.kubeconfig, 'utf8');
    const field = (name: string) => new RegExp(`${name}: (\\S+)`).exec(text)?.[1];
    const path = join(parent, 'operator.json');
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'here',
            cluster: {
              server: field('server'),
              'certificate-authority-data': field('certificate-authority-data'),
            },
          },
        ],
        users: [{ name: 'operator', user: { token: status.token } }],
        contexts: [{ name: 'operator', context: { cluster: 'here', user: 'operator', namespace: 'fruits-system' } }],
        'current-context': 'operator',
      }),
    );
    return path;
  }

  const tokenOf = (): string =>
    JSON.parse(readFileSync(join(parent, 'operator.json'), 'utf8')).users[0].user.token as string;

  test('keeps one stream while nobody looks', LONG, async () => {
    await operator.logged('Became the leader');
    await expect.poll(() => audited().length, WAIT).toBeGreaterThan(0);
    expect(audited().map(({ stage, verb, requestURI }) => [stage, verb, requestURI.split('?')[0]])).toEqual([
      ['ResponseStarted', 'post', '/console/reports'],
    ]);
    expect(operator.log()).not.toMatch(/forbidden|"level":"(?:warn|error)"/);
  });

  test('needs the right to report, which no other account has', LONG, async () => {
    const { status } = await ask<{ status: { token: string } }>(
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    );
    const statusOf = async (path: string, token: string): Promise<number> => {
      const sent = post(opened.link, path, token).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode!;
    };
    for (const path of ['/console/reports', '/console/reports/x', '/%63onsole/reports', '/console/reports/']) {
      expect([path, await statusOf(path, `Bearer ${status.token}`)]).toEqual([path, 403]);
      expect([path, await statusOf(path, '')]).toEqual([path, 403]);
    }
    expect(await statusOf('/console/reports/x', `Bearer ${tokenOf()}`)).toBe(404);
  });

  test('is shown with who reported it, its queue, its reconciles and its loop', LONG, async () => {
    const { page } = opened;
    await page.goto(opened.at('operators'));
    await pane().getByText(`reported by ${USER} · pod ${pod.name}`).waitFor(WAIT);
    await pane()
      .getByRole('button', { name: /^fruit/ })
      .click();
    await page
      .getByRole('list', { name: 'Queue of fruit' })
      .getByRole('listitem')
      .filter({ hasText: 'default/apple' })
      .filter({ hasText: /due in \d/ })
      .waitFor(WAIT);
    const finding = page.getByRole('list', { name: 'Findings' }).getByText(/loops on default\/loop/);
    await finding.first().waitFor(WAIT);
    expect(await finding.first().textContent()).toContain(
      `fruit (${USER}) loops on default/loop: each run writes its own`,
    );
    const trace = page.getByRole('list', { name: 'Reconciles' }).getByRole('listitem').filter({ hasText: 'sent' });
    await trace.first().getByRole('button').first().click();
    const detail = page.locator('.trace-detail');
    await detail.locator('.reason', { hasText: 'Fruit default/loop was updated' }).first().waitFor(WAIT);
    await detail.locator('.write.sent', { hasText: 'patch fruits.food.example.com/status' }).first().waitFor(WAIT);
    await detail.locator('.result', { hasText: 'success' }).waitFor(WAIT);
    const reports = audited().filter(({ requestURI }) => /^\/console\/reports\/[\w-]{24}$/.test(requestURI));
    expect(reports.length).toBeGreaterThan(0);
    expect(new Set(reports.map(({ responseStatus }) => responseStatus?.code))).toEqual(new Set([200]));
    expect(opened.violations).toEqual([]);
  });

  test('is shown again after the server was closed and started', LONG, async () => {
    await opened.restart();
    await opened.page.goto(opened.at('operators'));
    await pane().getByText(`reported by ${USER} · pod ${pod.name}`).waitFor({ timeout: 60_000 });
    await pane().getByText('1 delayed').first().waitFor({ timeout: 60_000 });
  });

  test('that sends markup in every text shows text, and never passes for the built-in controllers', LONG, async () => {
    const { page } = opened;
    await page.goto(opened.at('operators'));
    await page.getByRole('heading', { name: /^Built-in controllers/ }).waitFor(WAIT);
    let used = 0;
    const text = (): string => PAYLOADS[used++ % PAYLOADS.length]!;
    const object = () => ({ kind: text(), namespace: text(), name: text() });
    const step = () => ({ atMs: 1, resource: text(), revision: text(), ...object() });
    const write = () => ({ ...step(), type: 'write', verb: text(), outcome: 'sent', status: 200 });
    const read = () => ({ ...step(), type: 'read', from: 'cache', found: 1 });
    const trace = (id: number) => ({
      id,
      controller: 'deployment',
      namespace: text(),
      name: text(),
      reasons: [{ cause: 'updated', ...object() }],
      startedMs: Date.now(),
      failures: 3,
      steps: [write(), read(), write(), read()],
      omittedSteps: 1,
      durationMs: 1,
      outcome: 'error',
      error: text(),
    });
    const queued = () => ({ namespace: text(), name: text(), state: 'delayed', dueInMs: 5, failures: 2 });
    const cache = () => ({
      ...{ resource: text(), kind: text(), revision: text() },
      ...{ isSynced: false, isFailing: true, silentMs: 1 },
    });
    const controller = (name: string) => ({ name, ready: 1, delayed: 1, active: 1, queue: [...Array(20)].map(queued) });
    await using hostile = await HostileOperator.open(opened.link, tokenOf());
    const report = {
      name: 'Built-in controllers',
      isControlPlane: true,
      pid: opened.server.pid,
      isLeader: true,
      controllers: [controller('deployment'), ...[...Array(20)].map(() => controller(text()))],
      caches: [...Array(20)].map(cache),
      traces: [...Array(30).keys()].map(trace),
      omittedTraces: 0,
    };
    expect(await hostile.report(report)).toBe(200);
    const forged = page.locator('.operator').filter({ hasText: `reported by ${USER} · pod ${pod.name}` });
    await forged.filter({ hasText: 'Built-in controllers' }).waitFor(WAIT);
    await forged
      .filter({ hasText: 'Built-in controllers' })
      .getByRole('button', { name: /^deployment/ })
      .click();
    await forged.filter({ hasText: 'Built-in controllers' }).locator('summary').click();
    const finding = page.getByRole('list', { name: 'Findings' }).getByText(`deployment (${USER})`);
    await finding.first().waitFor(WAIT);
    const row = page.locator('.trace').filter({ hasText: `deployment ${USER}` });
    await row.first().getByRole('button').first().click();
    await page.locator('.trace-detail').getByText('alert(').first().waitFor(WAIT);
    expect(used).toBeGreaterThan(PAYLOADS.length);
    expect(await page.locator('.operators').locator(MADE_BY_PAYLOADS).count()).toBe(0);
    expect(opened.violations).toEqual([]);
    // Nobody else, and nothing without a credential, reports in its stream.
    expect(await hostile.report(report, 'Bearer none')).toBe(401);
    expect(await hostile.report(report, '')).toBe(403);
  });

  test('whose token is revoked reports nothing any more, and is shown as silent', LONG, async () => {
    await ask('DELETE', `/api/v1/namespaces/fruits-system/pods/${pod.name}?gracePeriodSeconds=0`);
    await pane().getByText('silent').waitFor(WAIT);
    await operator.logged('Cannot report to the console; trying again later');
    expect(operator.log()).toContain('"status":401');
  });
});

/** Reports what it likes, with the credential of an operator. */
class HostileOperator {
  readonly #address: string;
  readonly #token: string;
  readonly #stream: ClientRequest;
  readonly #id: string;

  private constructor(address: string, token: string, stream: ClientRequest, id: string) {
    this.#address = address;
    this.#token = token;
    this.#stream = stream;
    this.#id = id;
  }

  static async open(address: string, token: string): Promise<HostileOperator> {
    const stream = post(address, '/console/reports?instance=hostile', `Bearer ${token}`);
    stream.end();
    const [answer] = (await once(stream, 'response')) as [IncomingMessage];
    const [line] = await once(answer, 'data');
    answer.on('error', () => undefined).resume();
    return new HostileOperator(address, token, stream, JSON.parse(`${line}`.split('\n')[0]!).stream);
  }

  async report(report: object, authorization = `Bearer ${this.#token}`): Promise<number> {
    const sent = post(this.#address, `/console/reports/${this.#id}`, authorization);
    sent.end(JSON.stringify(report));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream.destroy();
  }
}

function post(address: string, path: string, authorization: string): ClientRequest {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
  const sent = request(new URL(path, address), { method: 'POST', rejectUnauthorized: false, agent: false, headers });
  return sent.on('error', () => undefined);
}

/** The process that the image of the operator would run. */
class Operator {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #log = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => {
        this.#log += chunk;
      });
  }

  static async start(project: string, kubeconfig: string): Promise<Operator> {
    const env = { ...process.env, VITEST: '', KUBECONFIG: kubeconfig, POD_NAMESPACE: 'fruits-system' };
    mkdirSync(join(project, 'dist'), { recursive: true });
    const child = spawn(process.execPath, ['dist/main.js'], {
      cwd: project,
      env: { ...env, HEALTH_PORT: '0', METRICS_PORT: '0', PINTLE_TELEMETRY: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Operator(child);
  }

  log(): string {
    return this.#log;
  }

  async logged(text: string): Promise<void> {
    while (!this.#log.includes(text)) {
      const isOver = await Promise.race([
        once(this.#child.stderr!, 'data').then(() => false),
        this.#ended.then(() => true),
      ]);
      if (isOver) throw new Error(`The operator ended: ${this.#log}`);
    }
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
