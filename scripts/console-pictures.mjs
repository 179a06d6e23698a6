// Takes pictures of every view of the console, light and dark, of a server with something to see: `node
// scripts/console-pictures.mjs FOLDER`. Those of the documentation are in docs/images.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OpenedConsole } from '../packages/console/dist/e2e/opened-console.js';

const [folder = '.pictures', only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const VIEWS = {
  overview: '?ns=shop',
  pods: 'o/pods?ns=shop',
  object: 'o/sites.example.com/shop/autumn',
  history: 'o/configmaps/shop/prices?tab=history',
  family: 'o/deployments.apps/shop/front?tab=family',
  events: 'o/deployments.apps/shop/front?tab=events',
  ownership: 'graph?ns=shop',
  operators: 'operators',
  requests: 'requests',
  denied: 'requests?refused=1',
  watches: 'requests?tab=watches',
  access: 'access?ns=shop&of=secrets',
  rules:
    'rules?kind=sites.example.com&ns=shop&name=autumn&place=spec&rule=self.replicas%20%3C%3D%205%20%26%26%20self.host.endsWith(%22.example%22)',
  form: 'create/sites.example.com?ns=shop',
  edit: 'create/deployments.apps?ns=shop&as=yaml',
  past: 'o/pods?ns=shop',
  forgotten: 'graph?at=1',
};

let replicas = 4;
const opened = await OpenedConsole.open({ flags: ['--nodes', '3'] });
try {
  await fill(opened);
  const sizes = [
    { name: '', viewport: { width: 1280, height: 800 } },
    { name: '-narrow', viewport: { width: 360, height: 760 } },
  ];
  for (const { name, viewport } of sizes) {
    for (const colorScheme of ['light', 'dark']) {
      if (name !== '' && colorScheme === 'dark') continue;
      const storageState = await opened.context.storageState();
      const context = await opened.browser.newContext({ ignoreHTTPSErrors: true, viewport, colorScheme, storageState });
      const page = await context.newPage();
      for (const [view, path] of Object.entries(VIEWS)) {
        if (only !== undefined && only !== view) continue;
        await page.goto(opened.at(path));
        await page.locator('h1, .empty h2').first().waitFor();
        await busy(view);
        await page.waitForTimeout(1_500);
        if (view === 'operators') await page.locator('.trace', { hasText: 'sent' }).getByRole('button').first().click();
        if (view === 'denied') await page.locator('.trace button').first().click();
        if (view === 'past') await page.getByRole('slider').press('PageUp');
        await page.waitForTimeout(700);
        await page.screenshot({ path: join(folder, `${view}-${colorScheme}${name}.png`) });
      }
      await context.close();
    }
  }
} finally {
  await opened.close();
}

/** Makes something happen, for views that record only while they are looked at. */
async function busy(view) {
  if (!['operators', 'requests', 'denied'].includes(view)) return;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const eve = { 'impersonate-user': 'eve' };
  await opened.ask('GET', '/api/v1/namespaces/shop/secrets', undefined, 'application/json', eve);
  replicas = replicas === 3 ? 4 : 3;
  await opened.ask(
    'PATCH',
    '/apis/apps/v1/namespaces/shop/deployments/back',
    { spec: { replicas } },
    'application/merge-patch+json',
  );
}

async function fill({ ask }) {
  const create = async (path, body) => {
    const { status, body: answer } = await ask.call(opened, 'POST', path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${answer}`);
    return JSON.parse(answer);
  };
  await create('/api/v1/namespaces', { metadata: { name: 'shop' } });
  for (const [name, replicas] of Object.entries({ front: 6, back: 4, search: 3 })) {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: `shop/${name}:1.4` }] } };
    await create('/apis/apps/v1/namespaces/shop/deployments', {
      metadata: { name },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
  }
  const labels = { app: 'data' };
  await create('/apis/apps/v1/namespaces/shop/statefulsets', {
    metadata: { name: 'data' },
    spec: {
      serviceName: 'data',
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'postgres:17' }] } },
    },
  });
  await create('/api/v1/namespaces/shop/services', {
    metadata: { name: 'front' },
    spec: { selector: { app: 'front' }, ports: [{ port: 80 }] },
  });
  const spec = {
    type: 'object',
    required: ['host'],
    'x-kubernetes-validations': [
      { rule: 'self.replicas <= 5', message: 'a site has at most 5 servers' },
      { rule: "self.tier != 'free' || self.replicas == 1", message: 'free sites have one server' },
    ],
    properties: {
      host: { type: 'string', description: 'Name under which the site is served.', maxLength: 40 },
      replicas: { type: 'integer', minimum: 1, default: 2, description: 'Number of servers.' },
      tier: { type: 'string', enum: ['free', 'paid'], description: 'Plan of the owner.' },
    },
  };
  await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'sites.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'sites', kind: 'Site' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          },
          subresources: { status: {} },
        },
      ],
    },
  });
  const sites = '/apis/example.com/v1/namespaces/shop/sites';
  while ((await ask.call(opened, 'GET', sites)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const kind = { apiVersion: 'example.com/v1', kind: 'Site' };
  const site = (more) => ({
    ...kind,
    metadata: { name: 'autumn' },
    spec: { host: 'autumn.example', replicas: 3, tier: 'paid' },
    ...more,
  });
  await create(`${sites}?fieldManager=kim`, site({}));
  const apply = 'application/apply-patch+yaml';
  await ask.call(
    opened,
    'PATCH',
    `${sites}/autumn?fieldManager=autoscaler&force=true`,
    { ...kind, metadata: { name: 'autumn' }, spec: { replicas: 4 } },
    apply,
  );
  const conditions = [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Served',
      message: 'All servers answer',
      lastTransitionTime: new Date().toISOString(),
    },
    { type: 'Synced', status: 'True', reason: 'UpToDate', message: '', lastTransitionTime: new Date().toISOString() },
  ];
  await ask.call(
    opened,
    'PATCH',
    `${sites}/autumn/status?fieldManager=site-operator`,
    { status: { conditions } },
    'application/merge-patch+json',
  );
  const prices = '/api/v1/namespaces/shop/configmaps';
  await create(`${prices}?fieldManager=kim`, { metadata: { name: 'prices' }, data: { apple: '1.20', pear: '2.10' } });
  for (const [manager, data] of [
    ['autoscaler', { apple: '1.25' }],
    ['kim', { pear: '1.95', plum: '3.00' }],
    ['autoscaler', { apple: '1.30' }],
  ])
    await ask.call(
      opened,
      'PATCH',
      `${prices}/prices?fieldManager=${manager}`,
      { data },
      'application/merge-patch+json',
    );
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop';
  await create(`${roles}/roles`, {
    metadata: { name: 'till' },
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['till-key'], verbs: ['get'] }],
  });
  await create(`${roles}/rolebindings`, {
    metadata: { name: 'till' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'till' },
    subjects: [
      { kind: 'User', name: 'kim', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'ServiceAccount', name: 'till', namespace: 'shop' },
    ],
  });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}
