/// <reference lib="dom" />
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { OpenedConsole, START_MS } from './opened-console.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const WAIT = { timeout: 20_000 };

/** What the tiles of the graph show, by their places; empty while nothing is drawn. Runs in the page. */
function tilesOf(): string {
  const tiles = [...document.querySelectorAll<HTMLCanvasElement>('.picture canvas')];
  const isDrawn = tiles.some((tile) =>
    tile
      .getContext('2d')!
      .getImageData(0, 0, tile.width, tile.height)
      .data.some((each) => each !== 0),
  );
  const looks = tiles.map((tile) => `${tile.style.left} ${tile.style.top} ${tile.toDataURL()}`);
  return isDrawn ? looks.sort().join(' ') : '';
}

describe.skipIf(!hasBrowser())('in a browser', () => {
  let opened: OpenedConsole;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    opened = await OpenedConsole.open({ flags: ['--nodes', '2'] });
    ({ context, page } = opened);
  }, START_MS);

  afterAll(() => opened?.close());

  const at = (path: string): string => opened.at(path);
  const kube = async (...sent: Parameters<OpenedConsole['ask']>): Promise<number> => (await opened.ask(...sent)).status;

  const MAPS = '/api/v1/namespaces/default/configmaps';
  const configMap = (name: string, data = {}, metadata = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data,
  });
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

  test('the link logs in, and leaves the address', async () => {
    expect(new URL(page.url()).hash).toBe('');
    await page.getByText('kubernetes-admin').waitFor(WAIT);
  });

  test('the files of the page come over one connection, before anybody is logged in', async () => {
    const { origin, host } = new URL(opened.link);
    const connection = connect(origin, { rejectUnauthorized: false });
    const get = async (path: string): Promise<string> => {
      const stream = connection.request({ ':path': path, ':authority': host });
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
      expect([path, headers[':status']]).toEqual([path, 200]);
      expect(headers.connection).toBeUndefined();
      return await text(stream);
    };
    const files = [...(await get('/console/')).matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) await get(file);
    const ended = once(connection, 'goaway');
    const refused = connection.request({ ':path': '/console/session', ':authority': host });
    refused.on('error', () => {}).resume();
    await ended;
    connection.destroy();
  });

  test('a page whose first requests fail tries again', async () => {
    const other = await context.newPage();
    let failed = 0;
    await other.route(/\/console\/(?:session|api\/)/, (route) => (failed++ < 4 ? route.abort() : route.continue()));
    await other.goto(at(''));
    await other.getByRole('heading', { level: 1 }).waitFor(WAIT);
    expect(failed).toBeGreaterThan(4);
    await other.close();
  });

  test('a second page is live as well, with a watch for every kind', async () => {
    await page.goto(at('graph?all=1'));
    const other = await context.newPage();
    await other.goto(at('graph?all=1'));
    for (const each of [page, other]) await each.locator('.graph .freshness.live').waitFor(WAIT);
    await other.close();
  });

  test('a page that nobody sees closes its watches, and follows again when it is seen', async () => {
    const other = await context.newPage();
    await other.clock.install();
    let watches = 0;
    other.on('request', (request) => {
      if (request.url().includes('/console/watch/')) watches++;
    });
    await other.goto(at('o/configmaps?ns=default'));
    await other.locator('.list .freshness.live').waitFor(WAIT);
    const show = (isHidden: boolean): Promise<void> =>
      other.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    const closed = other.waitForEvent('requestfailed', (request) => request.url().includes('/console/watch/'));
    await show(true);
    await other.clock.runFor(20_000);
    await closed;
    const before = watches;
    await kube('POST', MAPS, configMap('unseen'));
    await show(false);
    await other.getByRole('link', { name: 'unseen', exact: true }).waitFor(WAIT);
    expect(watches).toBeGreaterThan(before);
    await kube('DELETE', `${MAPS}/unseen`);
    await other.close();
  });

  test('a graph that followed changes looks as one that is drawn anew', async () => {
    const pods = '/api/v1/namespaces/drawn/pods';
    const pod = (index: number) => ({
      metadata: { name: `pod-${index}` },
      spec: { containers: [{ name: 'main', image: 'none' }] },
    });
    expect(await kube('POST', '/api/v1/namespaces', { metadata: { name: 'drawn' } })).toBe(201);
    await page.goto(at('graph?ns=drawn&all=1'));
    for (let index = 0; index < 12; index++) expect(await kube('POST', pods, pod(index))).toBe(201);
    const canvas = page.getByRole('img', { name: 'Ownership' });
    await page.locator('.tally', { hasText: '14 objects' }).waitFor(WAIT);
    await canvas.press('+');
    await canvas.press('ArrowLeft');
    const failed = { status: { phase: 'Failed' } };
    expect(await kube('PATCH', `${pods}/pod-5/status`, failed, 'application/merge-patch+json')).toBe(200);
    expect(await kube('DELETE', `${pods}/pod-7?gracePeriodSeconds=0`)).toBe(200);
    await page.locator('.tally', { hasText: '13 objects' }).waitFor(WAIT);
    await canvas.press('0');
    const other = await context.newPage();
    const lookAnew = async (): Promise<string> => {
      await other.goto(at('graph?ns=drawn&all=1'));
      const looks = (): Promise<string[]> => Promise.all([page, other].map((each) => each.evaluate(tilesOf)));
      await expect.poll(async () => new Set([...(await looks()), '']).size, WAIT).toBe(2);
      return (await looks())[0]!;
    };
    const before = await lookAnew();
    // Nothing but one square is another now.
    expect(await kube('PATCH', `${pods}/pod-9/status`, failed, 'application/merge-patch+json')).toBe(200);
    expect(await lookAnew()).not.toBe(before);
    await other.close();
    await kube('DELETE', '/api/v1/namespaces/drawn');
  });

  test('a list follows what happens, and is filtered as one types', async () => {
    await page.goto(at('o/configmaps?ns=default'));
    await row('kube-root-ca.crt').waitFor(WAIT);
    expect(await kube('POST', MAPS, configMap('first', { a: '1' }))).toBe(201);
    await row('first').waitFor(WAIT);
    await page.keyboard.press('/');
    await page.keyboard.type('root');
    await row('first').waitFor({ state: 'detached', ...WAIT });
    expect(new URL(page.url()).searchParams.get('q')).toBe('root');
    await kube('DELETE', `${MAPS}/first`);
  });

  test('at 360 pixels nothing overflows the page, and columns stand below their heads', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of ['', 'o/configmaps', 'o/configmaps/default/kube-root-ca.crt', 'graph', 'requests', 'access']) {
      await page.goto(at(path));
      await page.locator('.freshness.live').first().waitFor(WAIT);
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 360]);
      if (path !== 'o/configmaps') continue;
      const lefts = (role: string): Promise<number[]> =>
        page.evaluate(
          (name) =>
            [...document.querySelectorAll(`[role=${name}]`)]
              .slice(0, 4)
              .map((each) => each.getBoundingClientRect().left),
          role,
        );
      expect(await lefts('columnheader')).toEqual(await lefts('gridcell'));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('a pane is grey when its watch is lost, and follows again', async () => {
    await page.route(/\/console\/watch\//, (route) => route.abort());
    await page.goto(at('o/configmaps?ns=default'));
    await page.locator('.list.stale .freshness', { hasText: 'behind' }).waitFor(WAIT);
    await page.unroute(/\/console\/watch\//);
    await page.locator('.list:not(.stale) .freshness.live').waitFor(WAIT);
  });

  test('an object shows its fields, who set them, and what changed between versions', async () => {
    await kube('POST', `${MAPS}?fieldManager=author`, configMap('story', { ending: 'open' }));
    await kube(
      'PATCH',
      `${MAPS}/story?fieldManager=editor`,
      { data: { ending: 'happy' } },
      'application/merge-patch+json',
    );
    await page.goto(at('o/configmaps/default/story'));
    await page.locator('.fields', { hasText: 'happy' }).waitFor(WAIT);
    await page.locator('.fields', { hasText: 'kind: ConfigMap' }).waitFor(WAIT);
    await page.locator('.owner', { hasText: 'editor update' }).waitFor(WAIT);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.locator('.diff .removed', { hasText: 'ending: open' }).waitFor(WAIT);
    await page.locator('.diff .added', { hasText: 'ending: happy' }).waitFor(WAIT);
  });

  test('an edit is checked by the server, and applied', async () => {
    await page.goto(at('o/configmaps/default/story'));
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'YAML' });
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('unknown: field\n');
    await page.locator('.editor .problem', { hasText: 'unknown' }).waitFor(WAIT);
    for (let index = 0; index < 'unknown: field\n'.length; index++) await page.keyboard.press('Backspace');
    await page.getByText('The server would accept this.').waitFor(WAIT);
    await page.keyboard.type('immutable: true\n');
    await page.getByText('The server would accept this.').waitFor(WAIT);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.locator('.fields', { hasText: 'immutable: true' }).waitFor(WAIT);
  });

  test('a refusal that names a field stands at its line', async () => {
    await page.goto(at('create/deployments.apps?as=yaml'));
    await page.getByRole('textbox', { name: 'YAML' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# not yet\n');
    await page.locator('.cm-lint-marker-error').first().waitFor(WAIT);
    await page.locator('.cm-line', { hasText: 'spec' }).locator('.cm-lintRange-error').first().waitFor(WAIT);
  });

  test('a kind is edited as a form made from its schema, and as YAML, without loss', async () => {
    const spec = {
      type: 'object',
      required: ['host'],
      properties: {
        host: { type: 'string', description: 'Name under which the site is served.', maxLength: 20 },
        replicas: { type: 'integer', minimum: 1, maximum: 5, default: 2, description: 'Number of servers.' },
        tier: { type: 'string', enum: ['free', 'paid'], description: 'Plan of the owner.' },
        ports: {
          type: 'array',
          description: 'Ports of the site.',
          items: { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer' } } },
        },
        notes: { type: 'object', additionalProperties: { type: 'string' } },
      },
    };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'sites.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'sites', singular: 'site', kind: 'Site' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    expect(await kube('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)).toBe(201);
    await page.goto(at(''));
    await page.getByRole('link', { name: 'Site', exact: true }).waitFor(WAIT);
    await page.goto(at('create/sites.example.com?ns=default'));
    const field = (path: string) => page.locator(`[data-field="${path}"]`);
    await field('spec.host').getByText('Name under which the site is served.').waitFor(WAIT);
    await field('spec.replicas').getByText('default 2').waitFor(WAIT);
    await field('spec.host').getByRole('textbox').fill('a name that is much too long');
    await field('spec.host').getByRole('alert').waitFor(WAIT);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.locator('.cm-line', { hasText: 'host' }).locator('.cm-lintRange-error').first().waitFor(WAIT);
    await page.getByRole('textbox', { name: 'YAML' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('# a remark stays');
    await page.getByRole('tab', { name: 'Form' }).click();
    await field('spec.host').getByRole('textbox').fill('shop');
    await field('spec.tier').getByRole('combobox').selectOption('paid');
    await field('spec.ports').getByRole('button', { name: 'Set ports' }).click();
    await page.getByRole('button', { name: 'Add an item to ports' }).click();
    await field('spec.ports.0.port').getByRole('textbox').fill('8080');
    await page.getByRole('button', { name: 'Set notes' }).click();
    await page.getByLabel('Key of a new entry of notes').fill('owner');
    await page.keyboard.press('Enter');
    await field('spec.notes.owner').getByRole('textbox').fill('kim');
    await page.getByText('The server would accept this.').waitFor(WAIT);
    await page.getByRole('tab', { name: 'YAML' }).click();
    const text = await page.locator('.cm-content').innerText();
    for (const line of ['# a remark stays', 'tier: paid', '- port: 8080', 'owner: kim']) expect(text).toContain(line);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.locator('.fields', { hasText: 'replicas: 2' }).waitFor(WAIT);
  });

  test('a built-in kind shows the descriptions of its fields in the form', async () => {
    await page.goto(at('create/pods?ns=default'));
    const spec = page.locator('[data-field="spec"]');
    await spec.locator('[data-field="spec.containers"]').getByText('required').waitFor(WAIT);
    await spec
      .getByRole('button', { name: /^Add a field/ })
      .first()
      .click();
    await page.getByLabel('Filter fields').fill('nodeName');
    await spec
      .locator('.choices')
      .getByRole('button', { name: /^nodeName / })
      .click();
    await spec.locator('[data-field="spec.nodeName"] .about').getByText(/node/i).waitFor(WAIT);
  });

  test('the past is shown as it was', async () => {
    await kube('POST', MAPS, configMap('gone'));
    await page.goto(at('o/configmaps?ns=default'));
    await row('gone').waitFor(WAIT);
    const revision = (await page.locator('.list .freshness b').innerText()).replaceAll(',', '');
    await kube('DELETE', `${MAPS}/gone`);
    await row('gone').waitFor({ state: 'detached', ...WAIT });
    await page.goto(at(`o/configmaps?ns=default&at=${revision}`));
    await row('gone').waitFor(WAIT);
    await page.getByRole('button', { name: 'Live' }).click();
    await row('gone').waitFor({ state: 'detached', ...WAIT });
  });

  test('a delete says what goes with it', async () => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
    expect(await kube('POST', '/apis/apps/v1/namespaces/default/deployments', deployment)).toBe(201);
    await page.goto(at('o/deployments.apps/default/web'));
    await page.getByText('2/2 ready').waitFor(WAIT);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('3 objects go with it').waitFor(WAIT);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.goto(at('o/pods?ns=default'));
    await page.getByRole('heading', { name: 'No pods' }).waitFor(WAIT);
  });

  test('controllers show their queues, and reconciles with reasons, reads and writes', async () => {
    await page.goto(at('operators'));
    await page.getByRole('heading', { name: 'Built-in controllers' }).waitFor(WAIT);
    const labels = { app: 'traced' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'traced' }, spec };
    expect(await kube('POST', '/apis/apps/v1/namespaces/default/deployments', deployment)).toBe(201);
    const traces = page.getByRole('list', { name: 'Reconciles' });
    const first = traces
      .getByRole('listitem')
      .filter({ hasText: 'Deployment default/traced was added' })
      .filter({ hasText: 'sent' });
    await first.first().getByRole('button').click();
    const detail = page.locator('.trace-detail');
    await detail.locator('.read', { hasText: 'from the cache at revision' }).first().waitFor(WAIT);
    await detail
      .locator('.write.sent', { hasText: /(create|apply) replicasets.apps/ })
      .first()
      .waitFor(WAIT);
    await detail.locator('.result', { hasText: 'success' }).waitFor(WAIT);
    await kube('DELETE', '/apis/apps/v1/namespaces/default/deployments/traced');
  });

  test('operators whose replicas share the work show who owns the slots, and which have no owner', async () => {
    const labels = { 'pintle.dev/shard-map': 'fruits' };
    const data = { slots: '00-7f pod-a 4\n80-ef pod-b 7\nf0-fe pod-b~pod-a 7\nff-ff - 0\n' };
    await kube('POST', MAPS, configMap('fruits-shards', data, { labels }));
    await page.goto(at('operators'));
    const shards = page.getByRole('region', { name: 'Shards of fruits' });
    await shards.getByText('15 slots moving').waitFor(WAIT);
    await shards.getByText('1 slot without owner').waitFor(WAIT);
    await shards.getByRole('listitem').filter({ hasText: 'pod-b' }).getByText('127 slots, 15 leaving').waitFor(WAIT);
    await kube(
      'PATCH',
      `${MAPS}/fruits-shards`,
      { data: { slots: '00-ff pod-a 9\n' } },
      'application/merge-patch+json',
    );
    await shards.getByText('256 slots').waitFor(WAIT);
    await kube('DELETE', `${MAPS}/fruits-shards`);
    await shards.waitFor({ state: 'detached', ...WAIT });
  });

  test('requests show why they were denied, and watches how far they are', async () => {
    await page.goto(at('requests?refused=1'));
    await page.locator('.freshness.live').waitFor(WAIT);
    const asEve = { 'impersonate-user': 'eve' };
    expect(await kube('GET', '/api/v1/namespaces/default/secrets', undefined, undefined, asEve)).toBe(403);
    await page.getByRole('list', { name: 'Requests' }).getByText('eve', { exact: true }).first().click();
    const rule = page.locator('.trace-detail pre');
    await rule.getByText('resources: ["secrets"]').waitFor(WAIT);
    await page.getByRole('tab', { name: /^Watches/ }).click();
    const watches = page.getByRole('list', { name: 'Watches' });
    await watches.getByText('kube-controller-manager').first().waitFor(WAIT);
    await watches.getByText('up to date').first().waitFor(WAIT);
  });

  test('who can do something is listed with roles, and one user is asked about', async () => {
    const rules = [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] }];
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    await kube('POST', `${rbac}/roles`, { metadata: { name: 'peek' }, rules });
    await page.goto(at('access?ns=default&of=secrets'));
    const grants = page.getByRole('list', { name: 'Grants' });
    await grants.getByText('system:masters').first().waitFor(WAIT);
    await kube('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'peekers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'peek' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'paula' }],
    });
    await grants
      .getByRole('listitem')
      .filter({ hasText: 'paula' })
      .getByText('role peek, binding peekers; only one')
      .waitFor(WAIT);
    await page.getByLabel('User', { exact: true }).fill('paula');
    await page.getByRole('button', { name: 'Ask the server' }).click();
    await page.getByText('Not allowed').waitFor(WAIT);
    await page.getByLabel('Name', { exact: true }).fill('one');
    await page.getByRole('button', { name: 'Ask the server' }).click();
    await page.getByText(/RoleBinding "peekers/).waitFor(WAIT);
    expect(new URL(page.url()).searchParams.get('name')).toBe('one');
    await page.getByLabel('Verb').fill('delete');
    await grants.getByText('paula').waitFor({ state: 'detached', ...WAIT });
  });

  test('a rule is tried on an object of the server, with its cost and its errors', async () => {
    const sites = '/apis/example.com/v1/namespaces/default/sites';
    await kube('POST', sites, {
      apiVersion: 'example.com/v1',
      kind: 'Site',
      metadata: { name: 'tried' },
      spec: {
        host: 'a',
        replicas: 3,
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 70000 },
        ],
      },
    });
    await page.goto(at('o/sites.example.com/default/tried'));
    await page.getByRole('link', { name: 'Try rules' }).click();
    await page.getByRole('textbox', { name: 'Object', exact: true }).getByText('replicas: 3').waitFor(WAIT);
    const results = page.getByRole('list', { name: 'Results' });
    await results.getByText('holds').waitFor(WAIT);
    const write = async (rule: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Expression' }).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.type(rule);
    };
    await write('self.spec.replicsa > 1');
    await page
      .getByRole('alert')
      .getByText(/^1:10 undefined field 'replicsa'/)
      .waitFor(WAIT);
    await page.locator('.cm-lintRange-error').first().waitFor(WAIT);
    await page.getByLabel('self is').selectOption('spec.ports.*');
    await write('self.port <= 65535');
    await results.getByRole('listitem').filter({ hasText: 'spec.ports[1]' }).getByText('fails').waitFor(WAIT);
    await results.getByRole('listitem').filter({ hasText: 'spec.ports[0]' }).getByText('cost 3').waitFor(WAIT);
    await page.getByText('By the schema, it costs at most').waitFor(WAIT);
    await page.reload();
    await results.getByText('fails').waitFor(WAIT);
  });

  test('history plays until now', async () => {
    await page.goto(at('o/configmaps?ns=default'));
    await page.locator('.freshness.live').waitFor(WAIT);
    await page.getByRole('button', { name: 'Play history' }).click();
    await page.locator('.freshness.then').waitFor(WAIT);
    const revision = async (): Promise<number> => Number(await page.getByRole('slider').getAttribute('aria-valuenow'));
    const first = await revision();
    await expect.poll(revision, WAIT).toBeGreaterThan(first);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Play history' }).waitFor(WAIT);
    const paused = new URL(page.url()).searchParams.get('at');
    expect(Number(paused)).toBeGreaterThan(0);
    await page.getByRole('slider').focus();
    await page.keyboard.press('ArrowLeft');
    expect(new URL(page.url()).searchParams.get('at')).toBe(`${Number(paused) - 1}`);
    await page.keyboard.press('End');
    await page.locator('.freshness.live').waitFor(WAIT);
  });

  test('a moment that is compacted says so, in a list, an object and the graph', async () => {
    for (const path of ['o/configmaps', 'o/configmaps/default/story', 'graph', '']) {
      await page.goto(at(`${path}?at=1`));
      await page.getByRole('heading', { name: 'That moment is forgotten' }).waitFor(WAIT);
    }
  });

  test('a Secret is hidden until asked for', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, data: { word: 'c2VzYW1l' } };
    await kube('POST', '/api/v1/namespaces/default/secrets', secret);
    await page.goto(at('o/secrets/default/key'));
    await page.locator('.fields', { hasText: 'name: key' }).waitFor(WAIT);
    expect(await page.content()).not.toContain('c2VzYW1l');
    await page.getByRole('button', { name: 'Reveal values' }).click();
    await page.locator('.fields', { hasText: 'c2VzYW1l' }).waitFor(WAIT);
  });

  test('what objects say is text', async () => {
    const hostile = ['<img src=x onerror=alert(1)>', 'javascript:alert(1)', '"><script>alert(1)</script>', '{{7*7}}'];
    const data = Object.fromEntries(hostile.map((text, index) => [`k${index}`, text]));
    const annotations = { note: hostile[0]! };
    expect(await kube('POST', MAPS, configMap('hostile', data, { annotations }))).toBe(201);
    await page.goto(at('o/configmaps/default/hostile'));
    await page.locator('.fields', { hasText: hostile[0]! }).waitFor(WAIT);
    expect(await page.locator('.fields img, .fields script, .fields a[href^=javascript]').count()).toBe(0);
  });

  test('the cookie is no credential of the API', async () => {
    const status = await page.evaluate(async () => (await fetch('/api/v1/namespaces')).status);
    expect([401, 403]).toContain(status);
  });

  test.each([
    '',
    'graph?all=1',
    'o/pods',
    'o/configmaps/default/hostile',
    'operators',
    'requests',
    'access',
    'rules',
    'create/pods',
  ])('axe finds nothing serious at /%s', async (path) => {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).waitFor(WAIT);
    await page.locator('.freshness.live, .form, .outcome').first().waitFor(WAIT);
    await page.evaluate(readFileSync(AXE, 'utf8'));
    const found = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(): Promise<{
            passes: unknown[];
            violations: { id: string; impact: string; nodes: { html: string }[] }[];
          }>;
        };
      };
      const { violations, passes } = await axe.run();
      if (passes.length < 10) return ['axe did not look at the page'];
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    expect(found).toEqual([]);
  });

  test('the page never broke its own policy', () => expect(opened.violations).toEqual([]));
});
