/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasBrowser } from './browser.ts';
import { OpenedConsole, START_MS } from './opened-console.ts';
import { MADE_BY_PAYLOADS, PAYLOADS } from './payloads.ts';

const WAIT = { timeout: 20_000 };
const LONG = { timeout: 60_000 };
const CORE = '/api/v1/namespaces/default';
const SITES = '/apis/hostile.example.com/v1/namespaces/default/sites';
/** Another port of the same host: browsers send it the same cookies. */
const NEIGHBOUR = 'https://127.0.0.1:9443';
const STRANGER = 'https://attacker.example';
const BENT = 'bent.example';

describe.skipIf(!hasBrowser())('hostile', () => {
  let opened: OpenedConsole;
  let context: BrowserContext;
  let page: Page;
  const foreign = new Set<string>();

  beforeAll(async () => {
    // Browsers may keep pages of other sites from loopback; the console has to withstand them by itself.
    const browserFlags = [
      `--host-resolver-rules=MAP ${BENT} 127.0.0.1`,
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
    ];
    opened = await OpenedConsole.open({
      flags: ['--nodes', '1', '--controllers', '*,-garbage-collector-controller'],
      browserFlags,
    });
    ({ context, page } = opened);
    context.on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== 'data:' && host !== new URL(opened.link).host) foreign.add(request.url());
    });
    await writeHostileObjects();
  }, START_MS);

  afterAll(() => opened?.close());

  const create = async (path: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
    const { status, body: answer } = await opened.ask('POST', path, body, 'application/json', headers);
    if (status !== 201) throw new Error(`POST ${path} is ${status}: ${answer.slice(0, 500)}`);
    return String(JSON.parse(answer).metadata.uid);
  };

  /** Puts the payloads into every string that a user can write. */
  async function writeHostileObjects(): Promise<void> {
    const numbered = (name: string): [string, string][] => PAYLOADS.map((text, index) => [`${name}${index}`, text]);
    const uid = await create(`${CORE}/configmaps`, {
      metadata: { name: 'values', annotations: Object.fromEntries(numbered('note')) },
      data: Object.fromEntries(numbered('key')),
    });
    const ownerReferences = PAYLOADS.slice(0, 40).map((text, index) => ({
      apiVersion: 'v1',
      kind: text,
      name: text,
      uid: index === 0 ? uid : `00000000-0000-0000-0000-${`${index}`.padStart(12, '0')}`,
    }));
    await create(`${CORE}/configmaps`, { metadata: { name: 'owned', ownerReferences } });
    for (const [index, text] of PAYLOADS.filter((each) => /^[\x20-\x7e]+$/.test(each)).entries()) {
      if (index < 60) {
        const manager = encodeURIComponent(text.slice(0, 128));
        await opened.ask(
          'PATCH',
          `${CORE}/configmaps/owned?fieldManager=${manager}`,
          { data: { [`k${index}`]: text } },
          'application/merge-patch+json',
        );
      }
    }
    await create(`${CORE}/secrets`, { metadata: { name: 'typed' }, type: PAYLOADS[1] });
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition());
    await Promise.all(
      PAYLOADS.map((text, index) =>
        create(`${CORE}/events`, {
          metadata: { name: `event${index}` },
          involvedObject: { kind: text.slice(0, 100), name: text, namespace: 'default', uid },
          reason: text.slice(0, 100),
          message: text,
          source: { component: text.slice(0, 60) },
          type: text.slice(0, 30),
        }),
      ),
    );
    await vi.waitFor(async () => expect((await opened.ask('GET', SITES)).status).toBe(200), LONG);
    const text = { apiVersion: 'hostile.example.com/v1', kind: 'Site' };
    await Promise.all(
      PAYLOADS.map((payload, index) =>
        create(SITES, { ...text, metadata: { name: `site${index}` }, spec: { text: payload } }),
      ),
    );
    await create(SITES, {
      ...text,
      metadata: { name: 'all' },
      spec: { text: 'all', map: Object.fromEntries(PAYLOADS.map((payload) => [payload, payload])) },
      status: {
        conditions: PAYLOADS.map((payload) => ({
          type: payload,
          status: payload,
          reason: payload,
          message: payload,
          lastTransitionTime: payload,
        })),
      },
    });
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    const named = PAYLOADS.filter((payload) => !/[/%]/.test(payload));
    for (const payload of named.slice(0, 30)) {
      const rules = [{ apiGroups: [payload], resources: ['configmaps', payload], verbs: ['get', payload] }];
      await create(roles, {
        metadata: { name: payload },
        rules: [...rules, { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
      });
      await create(bindings, {
        metadata: { name: payload },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: payload },
        subjects: [
          { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: payload },
          { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: payload },
        ],
      });
    }
  }

  /** A kind whose texts, columns, defaults and messages are payloads. */
  function definition(): object {
    const properties = Object.fromEntries(
      PAYLOADS.map((text, index) => [`p${index}`, { type: 'string', description: text, title: text, enum: [text] }]),
    );
    const schema = {
      type: 'object',
      description: PAYLOADS[1],
      properties: {
        spec: {
          type: 'object',
          properties: {
            ...properties,
            text: { type: 'string', default: PAYLOADS[1] },
            map: { type: 'object', additionalProperties: { type: 'string' } },
          },
          'x-kubernetes-validations': [{ rule: "self.text != 'refuse'", message: PAYLOADS[1]!.trim() }],
        },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    const columns = PAYLOADS.slice(0, 20).map((text) => ({
      name: text,
      description: text,
      type: 'string',
      jsonPath: '.spec.text',
    }));
    return {
      metadata: { name: 'sites.hostile.example.com' },
      spec: {
        group: 'hostile.example.com',
        scope: 'Namespaced',
        names: { plural: 'sites', kind: 'Site' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            additionalPrinterColumns: columns,
          },
        ],
      },
    };
  }

  /** Shows a view until a payload stands in it, and looks for what a payload would have made. */
  async function see(path: string, shown: string | undefined, act?: () => Promise<void>): Promise<void> {
    await page.goto(opened.at(path));
    await page.getByRole('heading', { level: 1 }).or(page.locator('.empty h2')).first().waitFor(LONG);
    await act?.();
    if (shown !== undefined)
      await page
        .getByText(shown)
        .first()
        .waitFor({ state: 'attached', ...LONG });
    expect(await page.locator(MADE_BY_PAYLOADS).evaluateAll((all) => all.map((each) => each.outerHTML))).toEqual([]);
    expect(opened.violations).toEqual([]);
  }

  const IMAGE = PAYLOADS[1]!;
  const OBJECT = 'o/configmaps/default/values';

  test('there are 200 payloads', () => expect(new Set(PAYLOADS).size).toBe(200));

  test.each([
    ['the overview', '', undefined],
    ['values and annotations', OBJECT, IMAGE],
    ['events of an object', `${OBJECT}?tab=events`, IMAGE],
    ['history and managers', 'o/configmaps/default/owned?tab=history', IMAGE],
    ['managers and owners', 'o/configmaps/default/owned', IMAGE],
    ['dependents', 'o/configmaps/default/owned?tab=family', undefined],
    ['the graph', 'graph?all=1', undefined],
    ['cells and titles of columns', 'o/sites.hostile.example.com?ns=default', IMAGE],
    ['events', 'o/events', IMAGE],
    ['types of Secrets', 'o/secrets?ns=default', IMAGE],
    ['conditions, keys and values of a kind of one’s own', 'o/sites.hostile.example.com/default/all', IMAGE],
    ['names of roles', 'o/clusterroles.rbac.authorization.k8s.io', IMAGE],
    ['names of bindings', 'o/clusterrolebindings.rbac.authorization.k8s.io', IMAGE],
    ['a role', `o/clusterroles.rbac.authorization.k8s.io/_/${encodeURIComponent(IMAGE)}`, IMAGE],
  ])('%s: payloads stay text', (_, path, shown) => see(path, shown), 90_000);

  test('descriptions, defaults and messages of a form stay text', async () => {
    await see('create/sites.hostile.example.com?ns=default', undefined, async () => {
      const spec = page.locator('[data-field="spec"]');
      await spec
        .getByRole('button', { name: /^Add a field|^Set spec/ })
        .first()
        .click();
      await page
        .getByText(IMAGE)
        .first()
        .waitFor({ state: 'attached', ...LONG });
    });
    await see('create/sites.hostile.example.com?ns=default&as=yaml', undefined, async () => {
      await page.getByRole('textbox', { name: 'YAML' }).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(
        'apiVersion: hostile.example.com/v1\nkind: Site\nmetadata:\n  name: new\n  namespace: default\nspec:\n  text: refuse\n',
      );
      await page.locator('.editor .problem', { hasText: 'onerror' }).first().waitFor(LONG);
    });
  }, 120_000);

  test('users, user agents and paths of requests stay text', async () => {
    await page.goto(opened.at('requests'));
    await page.locator('.freshness.live').waitFor(WAIT);
    for (const [index, payload] of PAYLOADS.filter((each) => /^[\x20-\x7e]+$/.test(each)).entries()) {
      if (index % 6 !== 0 && index !== 1) continue;
      const headers = { 'impersonate-user': payload, 'impersonate-group': payload, 'user-agent': payload };
      const path = `${CORE}/configmaps/${encodeURIComponent(payload)}?labelSelector=${encodeURIComponent('a=b')}`;
      await opened.ask('GET', path, undefined, 'application/json', headers);
    }
    const entry = page.getByRole('list', { name: 'Requests' }).getByRole('button').filter({ hasText: IMAGE });
    await entry.first().click();
    await page.locator('.trace-detail', { hasText: IMAGE }).waitFor(WAIT);
    expect(await page.locator(MADE_BY_PAYLOADS).count()).toBe(0);
  }, 60_000);

  test('every part of an address stays text', async () => {
    for (const [index, payload] of PAYLOADS.entries()) {
      if (index % 8 !== 0 && index !== 1) continue;
      const text = encodeURIComponent(payload);
      const all = `q=${text}&sort=${text}&at=${text}&tab=${text}&c=${text}&a=${text}&b=${text}&as=${text}`;
      const path = ['', 'o/configmaps', 'graph', 'requests', `o/${text}`, `${text}/${text}`][index % 6];
      await page.goto(opened.at(`${path}?${all}#${text}`));
      await page.locator('h1, h2').first().waitFor(LONG);
      expect(await page.locator(MADE_BY_PAYLOADS).count()).toBe(0);
    }
  }, 120_000);

  test('names that objects inherit are names as others', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await see(`o/${name}/${name}/${name}?tab=${name}&sort=${name}`, undefined);
      await see(`${OBJECT}?tab=${name}`, IMAGE);
    }
  });

  test('nothing was loaded from elsewhere, and no policy was broken', () => {
    expect([...foreign]).toEqual([]);
    expect(opened.violations).toEqual([]);
  });

  describe.each([NEIGHBOUR, STRANGER])('a page of %s', (origin) => {
    let theirs: BrowserContext;
    let evil: Page;
    /** How the server answered, whether the browser shows it to the page or not. */
    const statuses: number[] = [];

    beforeAll(async () => {
      // The person is logged in, in the same browser.
      theirs = await opened.browser.newContext({
        ignoreHTTPSErrors: true,
        storageState: await context.storageState(),
      });
      await theirs.route(`${origin}/**`, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>evil</title><body></body>' }),
      );
      evil = await theirs.newPage();
      await evil.goto(`${origin}/`);
      const network = await theirs.newCDPSession(evil);
      await network.send('Network.enable');
      network.on('Network.responseReceivedExtraInfo', ({ statusCode }) => statuses.push(statusCode));
    });

    afterAll(() => theirs?.close());

    const count = async (): Promise<number> =>
      JSON.parse((await opened.ask('GET', `${CORE}/configmaps`)).body).items.length;

    test('reads nothing and changes nothing by requests', async () => {
      const before = await count();
      const read = await evil.evaluate(
        async ({ root, evilMap }) => {
          const results: string[] = [];
          const paths = [
            '/console/api/api/v1/secrets',
            '/console/session',
            '/console/watch/api/v1/pods',
            '/console/stream',
          ];
          const modes: RequestInit[] = [
            { mode: 'cors' },
            { mode: 'no-cors' },
            { mode: 'cors', method: 'POST', body: evilMap },
            { mode: 'no-cors', method: 'POST', body: evilMap },
            { mode: 'cors', method: 'POST', body: evilMap, headers: { 'content-type': 'application/json' } },
            { mode: 'cors', method: 'DELETE' },
          ];
          for (const path of [...paths, '/console/api/api/v1/namespaces/default/configmaps']) {
            for (const mode of modes) {
              const init: RequestInit = { ...mode, credentials: 'include' };
              await fetch(root + path, init).then(
                async (response) => results.push(`${response.type} ${await response.text().catch(() => '')}`),
                () => results.push('refused'),
              );
            }
          }
          navigator.sendBeacon(`${root}/console/api/api/v1/namespaces/default/configmaps`, evilMap);
          return results;
        },
        {
          root: new URL(opened.link).origin,
          evilMap: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'evil-' } }),
        },
      );
      expect(new Set(read)).toEqual(new Set(['refused']));
      expect(statuses.length).toBeGreaterThan(5);
      expect(statuses.filter((status) => status < 400)).toEqual([]);
      expect(await count()).toBe(before);
    }, 60_000);

    test('reads nothing and changes nothing by forms, frames, windows, scripts and sockets', async () => {
      const before = await count();
      const root = new URL(opened.link).origin;
      const opensSockets = await evil.evaluate(async (to) => {
        const path = '/console/api/api/v1/namespaces/default/configmaps';
        const add = (tag: string, attributes: Record<string, string>): HTMLElement => {
          const element = document.createElement(tag);
          for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
          document.body.append(element);
          return element;
        };
        const settled = (element: HTMLElement): Promise<string> =>
          new Promise((resolve) => {
            for (const type of ['load', 'error']) element.addEventListener(type, () => resolve(type));
          });
        const elements = [
          add('img', { src: to + path }),
          add('script', { src: to + path }),
          add('link', { rel: 'stylesheet', href: to + path }),
        ];
        const results = await Promise.all(elements.map(settled));
        add('iframe', { name: 'inside' });
        const form = add('form', { method: 'post', enctype: 'text/plain', action: to + path, target: 'inside' });
        const input = document.createElement('input');
        input.name = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"evil-"},"data":{"a":"';
        input.value = '"}}';
        form.append(input);
        (form as HTMLFormElement).submit();
        for (const url of [`${path}?watch=1`, '/console/stream', '/api/v1/pods?watch=1']) {
          results.push(
            await new Promise<string>((resolve) => {
              const socket = new WebSocket(to.replace('https', 'wss') + url);
              socket.onopen = () => resolve('open');
              socket.onerror = () => resolve('error');
            }),
          );
          results.push(
            await new Promise<string>((resolve) => {
              const source = new EventSource(to + url, { withCredentials: true });
              source.onopen = () => resolve('open');
              source.onerror = () => {
                source.close();
                resolve('error');
              };
            }),
          );
        }
        return results;
      }, root);
      expect(new Set(opensSockets)).toEqual(new Set(['error']));
      const frame = evil.frames().find((each) => each.name() === 'inside');
      await expect.poll(() => frame?.url(), WAIT).toMatch(/^(?:about:blank|chrome-error:|https:)/);
      expect(statuses.filter((status) => status < 400)).toEqual([]);
      expect(await count()).toBe(before);
    }, 60_000);

    test('cannot show the console in a frame, nor hold its window', async () => {
      const root = new URL(opened.link).origin;
      const frame = await evil.evaluateHandle(async (url) => {
        const element = document.createElement('iframe');
        element.src = url;
        document.body.append(element);
        await new Promise((resolve) => element.addEventListener('load', resolve));
        return element;
      }, `${root}/console/`);
      const inside = await frame.asElement()!.contentFrame();
      expect(inside?.url()).toBe('chrome-error://chromewebdata/');
      const [popup] = await Promise.all([
        theirs.waitForEvent('page'),
        evil.evaluate((url) => {
          Object.assign(globalThis, { held: window.open(url) });
        }, `${root}/console/`),
      ]);
      await popup.locator('h1').first().waitFor(LONG);
      expect(await popup.evaluate(() => window.opener)).toBeNull();
      expect(await evil.evaluate(() => (globalThis as unknown as { held: Window }).held.closed)).toBe(true);
      await popup.close();
    }, 90_000);
  });

  test('a name that was bent to this address shows nothing', async () => {
    const { port } = new URL(opened.link);
    const other = await opened.browser.newContext({ ignoreHTTPSErrors: true });
    const bent = await other.newPage();
    const root = `https://${BENT}:${port}`;
    expect((await bent.goto(`${root}/console/`))?.status()).toBe(421);
    // The page of an attacker, loaded before the name was bent.
    await bent.route(`${root}/evil`, (route) => route.fulfill({ contentType: 'text/html', body: 'evil' }));
    await bent.goto(`${root}/evil`);
    const statuses = await bent.evaluate(async () => {
      const paths = ['/console/session', '/console/api/api/v1/secrets'];
      return await Promise.all(paths.map(async (path) => (await fetch(path)).status));
    });
    expect(statuses).toEqual([421, 421]);
    await other.close();
  });

  test.each(['/api/v1/secrets', '/apis/apps/v1/deployments', '/openapi/v3', '/metrics'])(
    'the cookie is no credential of %s',
    async (path) => {
      await page.goto(opened.at(''));
      const seen = await page.evaluate(async (to) => (await fetch(to, { credentials: 'include' })).status, path);
      expect([401, 403]).toContain(seen);
    },
  );

  test('a user of one namespace sees nothing of others', async () => {
    await create('/api/v1/namespaces', { metadata: { name: 'mine' } });
    await create('/api/v1/namespaces', { metadata: { name: 'theirs' } });
    await create('/api/v1/namespaces/mine/configmaps', { metadata: { name: 'of-mine' }, data: { a: 'b' } });
    await create('/api/v1/namespaces/theirs/configmaps', {
      metadata: { name: 'of-theirs' },
      data: { a: 'kept-secret' },
    });
    await create('/api/v1/namespaces/mine/serviceaccounts', { metadata: { name: 'reader' } });
    await create('/apis/rbac.authorization.k8s.io/v1/namespaces/mine/rolebindings', {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'mine' }],
    });
    const { body } = await opened.ask('POST', '/api/v1/namespaces/mine/serviceaccounts/reader/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const token = String(JSON.parse(body).status.token);
    const other = await opened.browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 } });
    const reader = await other.newPage();
    const texts: Promise<string>[] = [];
    const refused: string[] = [];
    reader.on('response', (response) => {
      const { pathname, search } = new URL(response.url());
      if (!/^\/console\/(?:api|stream|watch)/.test(pathname)) return;
      if (response.status() === 403) refused.push(pathname + search);
      if (pathname.startsWith('/console/api')) texts.push(response.text().catch(() => ''));
    });
    await reader.goto(opened.at(''));
    await reader.getByLabel('or paste a bearer token').fill(token);
    await reader.getByRole('button', { name: 'Log in' }).click();
    await reader.getByText('system:serviceaccount:mine:reader').first().waitFor(LONG);
    const shown: string[] = [];
    const look = async (path: string, until: string): Promise<void> => {
      await reader.goto(opened.at(path));
      await reader.getByText(until).first().waitFor(LONG);
      shown.push(await reader.content());
    };
    await look('o/configmaps?ns=mine', 'of-mine');
    await look('o/configmaps/mine/of-mine', 'a: b');
    await look('graph?ns=mine&all=1', 'live');
    await look('?ns=mine', 'live');
    await look('o/configmaps?ns=theirs', 'You may not list configmaps in theirs');
    await look('o/configmaps', 'You may not list configmaps in all namespaces');
    await look('o/configmaps/theirs/of-theirs', 'You may not see of-theirs');
    await look('o/secrets?ns=mine', 'You may not list secrets in mine');
    await look('operators', 'You may not observe this server');
    await look('requests', 'You may not observe this server');
    for (const text of [...shown, ...(await Promise.all(texts))]) expect(text).not.toContain('kept-secret');
    // The page asks what it may do first, so that the audit log is not full of its failures.
    expect(refused.filter((path) => !/theirs|\/console\/stream/.test(path))).toEqual([]);
    await other.close();
  }, 120_000);
});
