import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { rootCertificates } from 'node:tls';
import { type Client, RestMapper } from '@pintle/client';
import type { Manifest } from '@pintle/generate';
import { ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Namespace, Node, Pod, type Pod as PodObject, ServiceAccount } from '@pintle/kinds/core/v1';
import { resourceType } from '@pintle/machinery';
import { type ControlPlane, startControlPlane } from '@pintle/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { untilEstablished } from '../until-established.ts';
import { applyAll, prune } from './applied-objects.ts';
import { reportLeft } from './deploy.ts';
import { removeObjects, removeRegistrations } from './remove-objects.ts';
import { Report } from './report.ts';
import { untilRolledOut } from './rollout.ts';
import { whyNotRunning } from './why-not-running.ts';

let plane: ControlPlane;
let client: Client;
beforeAll(async () => {
  plane = await startControlPlane({ env: {} });
  client = plane.client;
}, 60_000);
afterAll(() => plane[Symbol.asyncDispose]());

const CA_BUNDLE = Buffer.from(rootCertificates[0]!).toString('base64');
const labels = { 'app.kubernetes.io/name': 'fruits', 'app.kubernetes.io/managed-by': 'pintle' };

function manifest(kind: string, name: string, namespace: string | undefined, content: object = {}): Manifest {
  const metadata = { name, labels, ...(namespace && { namespace }) };
  return { folder: 'manager', file: name, object: { apiVersion: 'v1', kind, metadata, ...content } };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listening(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function stop(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

async function deployTo(namespace: string, names: readonly string[], namespaced = false): Promise<void> {
  const manifests = [
    manifest('Namespace', namespace, undefined),
    ...names.map((name) => manifest('ServiceAccount', name, namespace)),
  ];
  const report = new Report('json');
  const applied = await applyAll(client, new RestMapper({ client }), manifests, report);
  await prune(client, applied, { name: 'fruits', namespaced }, { namespace, report });
}

const accounts = async (namespace: string): Promise<string[]> =>
  (await client.list(ServiceAccount, { namespace })).items
    .map(({ metadata }) => metadata.name ?? '')
    .filter((name) => name !== 'default');

describe('a deployment', () => {
  test('takes away what the one before applied and it did not, and nothing else', async () => {
    await deployTo('one', ['a', 'b']);
    await client.create(ServiceAccount, { metadata: { namespace: 'one', name: 'of-others', labels } });
    await deployTo('one', ['a']);
    expect(await accounts('one')).toEqual(['a', 'of-others']);
    await deployTo('two', ['a']);
    expect(await accounts('one')).toEqual(['of-others']);
  });

  test('leaves where versions are converted to the operator that runs', async () => {
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const names = { kind: 'Fruit', plural: 'fruits', singular: 'fruit', listKind: 'FruitList' };
    const webhook = (clientConfig: object) => ({ clientConfig, conversionReviewVersions: ['v1'] });
    const service = { namespace: 'fruits', name: 'fruits-webhooks', path: '/convert' };
    const conversion = { strategy: 'Webhook', webhook: webhook({ service }) };
    const { object } = manifest('CustomResourceDefinition', 'fruits.food.test', undefined, {
      spec: { group: 'food.test', scope: 'Namespaced', names, versions, conversion },
    });
    const definition: Manifest = {
      folder: 'crds',
      file: '',
      object: { ...object, apiVersion: 'apiextensions.k8s.io/v1' },
    };
    const install = () => applyAll(client, new RestMapper({ client }), [definition], new Report('json'));
    const converter = async () => {
      const { spec } = await client.get(CustomResourceDefinition, { name: 'fruits.food.test' });
      return spec.conversion?.webhook?.clientConfig;
    };
    await install();
    expect(await converter()).toMatchObject({ service });
    const operator = await listening();
    const here = { service: null, url: `https://127.0.0.1:${portOf(operator)}/convert` };
    const body = { spec: { conversion: { webhook: webhook(here) } } };
    await client.patch(CustomResourceDefinition, { name: 'fruits.food.test' }, { type: 'merge', body });
    await install();
    expect(await converter()).toEqual({ url: here.url });
    await stop(operator);
    await install();
    expect(await converter()).toMatchObject({ service });
    expect(await converter()).not.toHaveProperty('url');
  });

  test('takes the converter away when there is nothing to convert, though the operator owns fields of it', async () => {
    const schema = { openAPIV3Schema: { type: 'object' } };
    const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
    const names = { kind: 'Nut', plural: 'nuts', singular: 'nut', listKind: 'NutList' };
    const service = { namespace: 'nuts', name: 'nuts-webhooks', path: '/convert' };
    const ref = { name: 'nuts.food.test' };
    const definition = (versions: object[], conversion: object): Manifest => {
      const spec = { group: 'food.test', scope: 'Namespaced', names, versions, conversion };
      const { object } = manifest('CustomResourceDefinition', ref.name, undefined, { spec });
      return { folder: 'crds', file: '', object: { ...object, apiVersion: 'apiextensions.k8s.io/v1' } };
    };
    const install = (each: Manifest) => applyAll(client, new RestMapper({ client }), [each], new Report('json'));
    const conversion = async () => (await client.get(CustomResourceDefinition, ref)).spec.conversion;
    const webhook = { clientConfig: { service }, conversionReviewVersions: ['v1'] };
    await install(definition([version('v1', true), version('v2', false)], { strategy: 'Webhook', webhook }));
    const clientConfig = { service, caBundle: CA_BUNDLE };
    const body = { spec: { conversion: { strategy: 'Webhook', webhook: { ...webhook, clientConfig } } } };
    const asOperator = { fieldManager: 'nuts-webhooks' };
    await client.patch(CustomResourceDefinition, ref, { type: 'merge', body }, asOperator);

    // Objects are stored as v1: a refused definition leaves everything as it was.
    const onlyNew = definition([version('v2', true)], { strategy: 'None' });
    await expect(install(onlyNew)).rejects.toThrow(/storedVersions/);
    expect(await conversion()).toMatchObject({ strategy: 'Webhook', webhook: { clientConfig } });
    await install(definition([version('v1', true)], { strategy: 'None' }));
    expect(await conversion()).toEqual({ strategy: 'None' });
  });

  test('keeps what operators wrote into configurations of webhooks, and takes those away that it has not', async () => {
    const ref = { name: 'fruits' };
    const service = { namespace: 'one', name: 'fruits-webhooks', path: '/validate' };
    const hook = { name: 'fruits.food.test', sideEffects: 'None', admissionReviewVersions: ['v1'] };
    const { object } = manifest('ValidatingWebhookConfiguration', 'fruits', undefined, {
      webhooks: [{ ...hook, clientConfig: { service } }],
    });
    const configuration: Manifest = {
      folder: 'webhooks',
      file: '',
      object: { ...object, apiVersion: 'admissionregistration.k8s.io/v1' },
    };
    const deployWith = async (...manifests: Manifest[]) => {
      const report = new Report('json');
      const applied = await applyAll(client, new RestMapper({ client }), manifests, report);
      await prune(client, applied, { name: 'fruits', namespaced: false }, { namespace: 'one', report });
      return (await client.find(ValidatingWebhookConfiguration, ref))?.webhooks?.[0]?.clientConfig;
    };
    const registerAt = (clientConfig: object) =>
      client.apply(
        ValidatingWebhookConfiguration,
        { metadata: ref, webhooks: [{ ...hook, clientConfig } as never] },
        { fieldManager: 'fruits-webhooks', force: true },
      );
    expect(await deployWith(configuration)).toMatchObject({ service });
    await registerAt({ service, caBundle: CA_BUNDLE });
    expect(await deployWith(configuration)).toMatchObject({ service, caBundle: CA_BUNDLE });
    expect(await deployWith()).toBeUndefined();
    const operator = await listening();
    const url = `https://127.0.0.1:${portOf(operator)}/validate`;
    await registerAt({ url });
    expect(await deployWith(configuration)).toEqual({ url });
    await stop(operator);
    expect(await deployWith(configuration)).toMatchObject({ service });
    await client.delete(ValidatingWebhookConfiguration, ref);
  });

  test('of an operator of one namespace leaves those of other namespaces', async () => {
    await deployTo('two', ['a'], true);
    await deployTo('three', ['a'], true);
    expect(await accounts('two')).toEqual(['a']);
  });

  test('leaves a namespace that was there before as it was, and does not take it away', async () => {
    await client.create(Namespace, { metadata: { name: 'prod' } });
    await deployTo('prod', ['a']);
    expect((await client.get(Namespace, { name: 'prod' })).metadata.labels).not.toMatchObject(labels);
    const all = [manifest('ServiceAccount', 'a', 'prod'), manifest('Namespace', 'prod', undefined)];
    await removeObjects(client, all, { report: new Report('json'), timeoutMs: 0 });
    expect(await accounts('prod')).toEqual([]);
    expect((await client.get(Namespace, { name: 'prod' })).metadata.deletionTimestamp).toBeUndefined();
  });

  const removed = (kind: string, name: string, apiVersion = 'v1') => {
    const { object, ...rest } = manifest(kind, name, undefined);
    const all = [{ ...rest, object: { ...object, apiVersion } }];
    return removeObjects(client, all, { report: new Report('json'), timeoutMs: 50 });
  };

  test('does not wait for ever until it is gone, and names the objects that hold it up', async () => {
    const held = { metadata: { name: 'held', finalizers: ['example.com/held'] } };
    await client.apply(Namespace, held, { fieldManager: 'pintle-deploy' });
    await expect(removed('Namespace', 'held')).rejects.toThrow(
      'Namespace held still exists after 0.05 s: Namespace held waits for example.com/held. Run the operator until they are ' +
        'gone, or remove the finalizers of each: kubectl patch namespaces held --type=merge -p \'{"metadata":{"finalizers":null}}\'',
    );
  });

  test('names the objects of a definition, and those in a namespace', async () => {
    const names = { kind: 'Held', plural: 'helds', singular: 'held', listKind: 'HeldList' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ];
    await client.create(CustomResourceDefinition, {
      metadata: { name: 'helds.held.test' },
      spec: { group: 'held.test', scope: 'Namespaced', names, versions },
    } as never);
    await untilEstablished(client, 'helds.held.test');
    const type = resourceType({
      group: 'held.test',
      version: 'v1',
      kind: 'Held',
      plural: 'helds',
      scope: 'Namespaced',
    });
    const metadata = { name: 'holding', finalizers: ['held.test/place'] };
    await client.apply(Namespace, { metadata }, { fieldManager: 'pintle-deploy' });
    for (let at = 1; at <= 7; at++) {
      const metadata = { namespace: 'holding', name: `h${at}`, finalizers: ['held.test/cleanup'] };
      await client.create(type, { apiVersion: 'held.test/v1', kind: 'Held', metadata });
      await client.delete(type, metadata);
    }
    const named = /Held holding\/h1 waits for held\.test\/cleanup; Held holding\/h2.*and 2 others\. Run the operator/;
    const definition = removed('CustomResourceDefinition', 'helds.held.test', 'apiextensions.k8s.io/v1');
    await expect(definition).rejects.toThrow(named);
    await expect(definition).rejects.toThrow('kubectl patch helds.v1.held.test h1 -n holding --type=merge');
    await expect(removed('Namespace', 'holding')).rejects.toThrow('Held holding/h1 waits for held.test/cleanup; ');
  });
});

describe('the webhook configuration of an operator', () => {
  const registration = (namespace: string) => ({
    metadata: { name: 'baskets' },
    webhooks: [
      {
        name: 'baskets.example.com',
        clientConfig: { service: { namespace, name: 'baskets-webhooks' }, caBundle: CA_BUNDLE },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None' as const,
        objectSelector: { matchLabels: { never: 'there' } },
      },
    ],
  });
  const manifests = [manifest('ValidatingWebhookConfiguration', 'baskets', undefined, registration('baskets-system'))];

  test.each([
    ['goes when it was applied from the manifests by kubectl', 'baskets-system', undefined],
    ['stays when another operator of the same name has it', 'others', 'baskets'],
  ])('%s', async (_what, namespace, expected) => {
    await client.create(ValidatingWebhookConfiguration, registration(namespace), { fieldManager: 'kubectl' });
    await removeRegistrations(client, 'baskets', manifests, new Report('json'));
    const found = await client.find(ValidatingWebhookConfiguration, { name: 'baskets' });
    expect(found?.metadata.name).toBe(expected);
    if (found !== undefined) await client.delete(ValidatingWebhookConfiguration, { name: 'baskets' });
  });
});

test('what undeploy leaves is told with the command that still reads it', async () => {
  const schema = { openAPIV3Schema: { type: 'object' } };
  const service = { namespace: 'left', name: 'left-webhooks', path: '/convert' };
  const { object } = manifest('CustomResourceDefinition', 'lefts.left.test', undefined, {
    spec: {
      group: 'left.test',
      scope: 'Namespaced',
      names: { kind: 'Left', plural: 'lefts', singular: 'left', listKind: 'LeftList' },
      versions: ['v1', 'v1beta1'].map((name) => ({ name, served: true, storage: name === 'v1beta1', schema })),
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] } },
    },
  });
  const definition = {
    folder: 'crds',
    file: '',
    object: { ...object, apiVersion: 'apiextensions.k8s.io/v1' },
  } as const;
  const report = new Report('json');
  await applyAll(client, new RestMapper({ client }), [definition], report);
  const print = vi.spyOn(report, 'print').mockReturnValue();
  await reportLeft(client, [definition], report);
  expect(print.mock.calls).toEqual([
    [
      'Without the operator, lefts can be read and written in version v1beta1 only: kubectl get lefts.v1beta1.left.test',
    ],
  ]);
});

describe('a rollout that does not get on', () => {
  const metadata = { namespace: 'default', name: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'operator', image: 'fruits:1' }] } };
  const spec = { selector: { matchLabels: labels }, template };

  const seenWith = (status: Deployment['status']) =>
    ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, status }) as Deployment;

  async function statusOf(status: object): Promise<string> {
    await client.update(Pod, { ...(await client.get(Pod, metadata)), status } as PodObject, { subresource: 'status' });
    return await whyNotRunning(client, seenWith({ observedGeneration: 1 }));
  }

  test('says why', async () => {
    await client.create(ServiceAccount, { metadata: { namespace: 'default', name: 'default' } });
    await client.create(Deployment, { metadata, spec });
    expect(await whyNotRunning(client, undefined)).toBe('the Deployment is gone');
    expect(await whyNotRunning(client, await client.get(Deployment, metadata))).toContain('no controller has observed');
    const seen = seenWith({ observedGeneration: 1 });
    expect(await whyNotRunning(client, seen)).toBe('no pod was created yet');
    const failed = { type: 'ReplicaFailure', status: 'True', message: 'exceeded quota' };
    expect(await whyNotRunning(client, seenWith({ observedGeneration: 1, conditions: [failed] }))).toBe(
      'pods cannot be created: exceeded quota',
    );
    const pod = await client.create(Pod, { metadata: { ...metadata, labels }, spec: template.spec });
    expect(await whyNotRunning(client, seen)).toBe('pod web is not scheduled: the cluster has no nodes');
    await client.create(Node, { metadata: { name: 'n1' } });
    expect(await whyNotRunning(client, seen)).toContain('no scheduler has observed it');
    const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }];
    expect(await statusOf({ conditions })).toBe('pod web is not scheduled: 0/1 nodes are available');
    await client.delete(Pod, metadata, { gracePeriodSeconds: 0 });
    await client.create(Pod, { metadata: { ...metadata, labels }, spec: { ...pod.spec!, nodeName: 'n1' } });
    expect(await whyNotRunning(client, seen)).toBe('node n1 has not started pod web yet');
    const container = { name: 'operator', image: 'fruits:1', imageID: '', ready: false, restartCount: 1 };
    const waiting = (state: object, more: object = {}) =>
      statusOf({ phase: 'Pending', containerStatuses: [{ ...container, state, ...more }] });
    expect(await waiting({ waiting: { reason: 'ImagePullBackOff', message: 'not found' } })).toBe(
      'pod web: container operator: ImagePullBackOff fruits:1, not found',
    );
    const lastState = { terminated: { exitCode: 3, message: 'no cluster\n' } };
    expect(await waiting({ waiting: { reason: 'CrashLoopBackOff' } }, { lastState })).toBe(
      'pod web: container operator: CrashLoopBackOff (it exited with 3: no cluster)',
    );
    expect(await waiting({ running: {} })).toContain('is not ready');
  });

  test('ends with what is wrong, and what to look at', async () => {
    const rolledOut = untilRolledOut(client, metadata, { report: new Report('json'), timeoutMs: 20 });
    await expect(rolledOut).rejects.toThrow(
      /did not start within 0.02 s: 0 of 1 available; no controller has observed the Deployment: does a controller manager run\? All objects/,
    );
  });
});
