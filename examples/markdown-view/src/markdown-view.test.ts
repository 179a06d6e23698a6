import { Client } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap, Event, Service } from '@pintle/kinds/core/v1';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  conflict,
  loseAnswer,
  type OperatorOptions,
  serverError,
  startControlPlane,
  stepped,
  tooManyRequests,
} from '@pintle/testing';
import { describe, expect, test } from 'vitest';
import { DEFAULT_VIEWER_IMAGE, MarkdownView } from './markdown-view.ts';
import { addMarkdownViews } from './operator.ts';

const book = { namespace: 'default', name: 'book' };
const markdowns = { namespace: 'default', name: 'markdowns-book' };
const viewer = { namespace: 'default', name: 'viewer-book' };
const PAGES = { 'SUMMARY.md': '# Contents\n- [One](one.md)', 'one.md': '# One' };

const WORKLOADS = [
  'deployment-controller',
  'replicaset-controller',
  'serviceaccount-controller',
  'node-lifecycle-controller',
];

const start = (options: ControlPlaneOptions = {}) =>
  startControlPlane({ crds: [MarkdownView], clock: stepped(), ...options });

/** The operator has its webhooks in place when this resolves: what is created from now on goes by them. */
async function run(plane: ControlPlane, options: OperatorOptions = {}) {
  const operator = plane.operator((manager) => addMarkdownViews(manager), options);
  await plane.eventually(() => operator.manager.webhooks.isReady);
  return operator;
}

const create = (plane: ControlPlane, spec: Partial<typeof MarkdownView.Input.spec> = {}, client = plane.client) =>
  client.create(MarkdownView, { metadata: book, spec: { markdowns: PAGES, ...spec } as MarkdownView['spec'] });

const edit = (plane: ControlPlane, spec: object) =>
  plane.client.patch(MarkdownView, book, { type: 'merge', body: { spec } });

/** So many viewers answer. */
const answer = (plane: ControlPlane, availableReplicas: number) => plane.setAvailable(viewer, availableReplicas);

describe('a view', () => {
  test('is a config map, a deployment and a service, which it controls', async () => {
    await using plane = await start();
    await run(plane);
    await create(plane, { replicas: 2 });
    const selector = { 'app.kubernetes.io/instance': 'book' };
    const children = [
      await plane.untilMatches(ConfigMap, markdowns, { data: PAGES }),
      await plane.untilMatches(Deployment, viewer, { spec: { replicas: 2, selector: { matchLabels: selector } } }),
      await plane.untilMatches(Service, viewer, { spec: { selector, ports: [{ port: 80, targetPort: 'http' }] } }),
    ];
    for (const { metadata } of children)
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'MarkdownView', name: 'book', controller: true }]);
  });

  test('becomes healthy where there are nodes to run its viewers', async () => {
    await using plane = await start({ controllers: WORKLOADS, nodes: 1 });
    await run(plane);
    await create(plane, { replicas: 2 });
    const { status } = await plane.untilMatches(MarkdownView, book, { status: { phase: 'Healthy' } });
    expect(status?.conditions).toMatchObject([
      { type: 'Available', status: 'True', reason: 'Healthy', message: '2 of 2 viewers answer', observedGeneration: 1 },
    ]);
  });

  test('says how well its viewers do, and tells people', async () => {
    await using plane = await start();
    await run(plane);
    await create(plane, { replicas: 2 });
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
    await answer(plane, 1);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'Available' } });
    await answer(plane, 2);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'Healthy' } });
    await answer(plane, 0);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
    await plane.untilIdle();
    const { uid } = (await plane.client.get(MarkdownView, book)).metadata;
    const { items } = await plane.client.list(Event, { namespace: 'default' });
    const told = items.filter(({ involvedObject }) => involvedObject.uid === uid);
    expect(told.map(({ reason, message }) => `${reason}: ${message}`).sort()).toEqual([
      'Updated: The view is Available now',
      'Updated: The view is Healthy now',
      'Updated: The view is NotReady now',
    ]);
  });

  test('is scaled and rewritten, and pages that are taken out are gone', async () => {
    await using plane = await start();
    await run(plane);
    await create(plane);
    await plane.untilMatches(Deployment, viewer, { spec: { replicas: 1 } });
    await edit(plane, { replicas: 3, markdowns: { 'one.md': null, 'two.md': '# Two' } });
    await plane.untilMatches(Deployment, viewer, { spec: { replicas: 3 } });
    await plane.untilIdle();
    expect((await plane.client.get(ConfigMap, markdowns)).data).toEqual({
      'SUMMARY.md': PAGES['SUMMARY.md'],
      'two.md': '# Two',
    });
  });

  test('puts its children right, and leaves alone what others wrote', async () => {
    await using plane = await start();
    await run(plane);
    await create(plane);
    await plane.untilMatches(Service, viewer, {});
    await plane.client.delete(ConfigMap, markdowns);
    const body = { metadata: { annotations: { team: 'docs' } }, spec: { replicas: 9 } };
    await plane.client.patch(Deployment, viewer, { type: 'merge', body });
    await plane.untilMatches(ConfigMap, markdowns, { data: PAGES });
    await plane.untilMatches(Deployment, viewer, {
      metadata: { annotations: { team: 'docs' } },
      spec: { replicas: 1 },
    });
  });

  test('takes its children along', async () => {
    await using plane = await start({ controllers: ['garbage-collector-controller'] });
    await run(plane);
    await create(plane);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
    await plane.client.delete(MarkdownView, book);
    await plane.untilGone(Service, viewer);
    await plane.untilGone(Deployment, viewer);
    await plane.untilGone(ConfigMap, markdowns);
  });

  test('has columns for kubectl', async () => {
    await using plane = await start();
    await run(plane);
    await create(plane);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
    const path = '/apis/view.pintle.dev/v1/namespaces/default/markdownviews';
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    expect(await plane.client.call({ method: 'GET', path, headers })).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Replicas' }, { name: 'Status' }],
      rows: [{ cells: ['book', 1, 'NotReady'] }],
    });
  });
});

describe('the webhooks', () => {
  test('fill in the image of the viewer where none was chosen', async () => {
    await using plane = await start();
    await run(plane);
    expect((await create(plane)).spec).toEqual({
      markdowns: PAGES,
      replicas: 1,
      viewerImage: DEFAULT_VIEWER_IMAGE,
    });
    await plane.client.delete(MarkdownView, book);
    expect((await create(plane, { viewerImage: 'mine:v1' })).spec.viewerImage).toBe('mine:v1');
  });

  test.each([
    ['no summary', { markdowns: { 'one.md': '' } }, 'spec.markdowns[SUMMARY.md]: Required value'],
    ['no pages', { markdowns: {} }, 'spec.markdowns[SUMMARY.md]: Required value'],
    ['too many replicas', { replicas: 6 }, 'spec.replicas: Invalid value: 6: must be at most 5'],
    ['no replicas', { replicas: 0 }, 'should be greater than or equal to 1'],
    ['a page in a folder', { markdowns: { ...PAGES, 'a/b.md': '' } }, 'must be the name of a file'],
  ])('refuse a view with %s', async (_what, spec, why) => {
    await using plane = await start();
    await run(plane);
    await expect(create(plane, spec)).rejects.toMatchObject({ code: 422, message: expect.stringContaining(why) });
  });

  test('refuse a change for the worse', async () => {
    await using plane = await start();
    await run(plane);
    await create(plane);
    await expect(edit(plane, { markdowns: { 'SUMMARY.md': null } })).rejects.toThrow('a book begins with its summary');
    await expect(edit(plane, { replicas: 7 })).rejects.toThrow('must be at most 5');
  });

  test('warn of images that change under their name', async () => {
    await using plane = await start();
    await run(plane);
    const warnings: string[] = [];
    const client = new Client({
      transport: plane.client.transport,
      clock: plane.clock,
      onWarning: (text) => warnings.push(text),
    });
    await create(plane, { viewerImage: 'peaceiris/mdbook:latest' }, client);
    expect(warnings).toEqual(['spec.viewerImage: ":latest" is another image every time it is pulled']);
  });
});

test('metrics tell the phase of every view there is, and what the webhooks were asked', async () => {
  await using plane = await start();
  const { manager } = await run(plane);
  expect(await manager.metrics.metrics()).toContain(
    'controller_runtime_webhook_requests_total{webhook="/validate-view-pintle-dev-v1-markdownview",code="200"} 0',
  );
  await create(plane);
  await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
  await plane.untilIdle();
  const told = await manager.metrics.metrics();
  expect(told).toContain('markdownview_phase{namespace="default",name="book",phase="NotReady"} 1');
  expect(told).toContain('markdownview_phase{namespace="default",name="book",phase="Healthy"} 0');
  expect(told).toContain(
    'controller_runtime_webhook_requests_total{webhook="/mutate-view-pintle-dev-v1-markdownview",code="200"} 1',
  );
  await plane.client.delete(MarkdownView, book);
  await plane.untilIdle();
  expect(await manager.metrics.metrics()).not.toContain('markdownview_phase{');
});

describe('the operator', () => {
  test('writes nothing once everything is as it should be', async () => {
    await using plane = await start({ controllers: WORKLOADS, nodes: 1 });
    await run(plane);
    await create(plane);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'Healthy' } });
    await plane.untilIdle();
    const place = plane.requests.length;
    await plane.clock.advance('15m');
    plane.requests.since(place).assertWrites(0, { actor: 'operator' });
    expect(plane.complaints).toEqual([]);
  });

  test('needs the rights it says it needs, and no others', async () => {
    await using plane = await start();
    const { manager } = await run(plane);
    await create(plane);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
    await plane.untilIdle();
    const { rules = [] } = manager.clusterRole();
    expect(rules.filter(({ apiGroups }) => !apiGroups?.includes('admissionregistration.k8s.io'))).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'services'], verbs: ['create', 'delete', 'list', 'patch', 'watch'] },
      { apiGroups: [''], resources: ['events', 'secrets'], verbs: ['create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['operator-webhook-tls'], verbs: ['get', 'update'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'delete', 'list', 'patch', 'watch'] },
      { apiGroups: ['view.pintle.dev'], resources: ['markdownviews'], verbs: ['list', 'watch'] },
      { apiGroups: ['view.pintle.dev'], resources: ['markdownviews/finalizers'], verbs: ['update'] },
      { apiGroups: ['view.pintle.dev'], resources: ['markdownviews/status'], verbs: ['patch'] },
    ]);
  });

  test('gets over a server that answers badly', async () => {
    await using plane = await start();
    await run(plane);
    const struck = [serverError(), tooManyRequests(), loseAnswer(), conflict(), serverError()].map((fault) =>
      plane.faults.inject({ actor: 'operator', verb: 'patch' }, fault),
    );
    await create(plane);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
    await plane.untilMatches(Service, viewer, {});
    expect(struck.map(({ hits }) => hits)).toEqual([1, 1, 1, 1, 1]);
  });

  test('of which two run is followed by the other within the lease; webhooks answer all the while', async () => {
    await using plane = await start();
    // Two of one name, as replicas are: they share their webhooks and what proves them.
    const first = await run(plane, { leaderElection: electionOf('first'), isRestarted: false });
    await plane.eventually(() => first.manager.isLeader);
    const second = await run(plane, { leaderElection: electionOf('second') });
    await plane.clock.advance('10s');
    expect(second.manager.isLeader).toBe(false);
    first.crash();
    const crashedAt = plane.clock.monotonic();
    expect((await create(plane)).spec.viewerImage).toBe(DEFAULT_VIEWER_IMAGE);
    await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
    expect(plane.clock.monotonic() - crashedAt).toBeLessThanOrEqual(15_000);
  });

  test('ends up with the same, wherever it was killed', async () => {
    const undisturbed = await live();
    expect(undisturbed.writes).toBeGreaterThan(8);
    for (let crashAfterWrite = 1; crashAfterWrite <= undisturbed.writes; crashAfterWrite++) {
      const { state, starts } = await live(crashAfterWrite);
      expect(starts, `killed at write ${crashAfterWrite}`).toBe(2);
      expect(state, `killed at write ${crashAfterWrite}`).toEqual(undisturbed.state);
    }
  });
});

const electionOf = (identity: string) => ({ name: 'markdown-view', identity });

/** A view comes, is answered for, and is rewritten; then nothing more is written. */
async function live(crashAfterWrite?: number) {
  await using plane = await start();
  const operator = await run(plane, crashAfterWrite === undefined ? {} : { crashAfterWrite });
  await plane.eventually(() => create(plane, { replicas: 2 }));
  await plane.untilMatches(MarkdownView, book, { status: { phase: 'NotReady' } });
  await answer(plane, 2);
  await plane.untilMatches(MarkdownView, book, { status: { phase: 'Healthy' } });
  await plane.eventually(() => edit(plane, { replicas: 3, markdowns: { 'one.md': null } }));
  await plane.untilMatches(MarkdownView, book, { status: { phase: 'Available' } });
  await plane.untilIdle();
  const { writes, starts } = operator;
  await plane.clock.advance('11m');
  expect(operator.writes).toBe(writes);
  const view = await plane.client.get(MarkdownView, book);
  const conditions = view.status?.conditions?.map(({ lastTransitionTime: _, ...condition }) => condition);
  const { spec = {}, ...service } = await plane.client.get(Service, viewer);
  // Addresses are drawn, and a server that was asked more has drawn others.
  const { clusterIP: _ip, clusterIPs: _ips, ...known } = spec;
  // What a cluster's own controllers say of the Deployment is theirs, and has times in it.
  const { status: _status, ...deployment } = await plane.client.get(Deployment, viewer);
  const children = [await plane.client.get(ConfigMap, markdowns), deployment, { ...service, spec: known }];
  const state = {
    view: { spec: view.spec, phase: view.status?.phase, conditions },
    children: children.map(({ metadata: { labels, ownerReferences = [], generation }, ...child }) => {
      const owners = ownerReferences.map(({ uid: _, ...owner }) => owner);
      return { ...child, labels, generation, owners };
    }),
  };
  return { state, writes, starts };
}
