import { SeededRandom } from '@pintle/async';
import type { Transport } from '@pintle/client';
import { Client } from '@pintle/client';
import type { MetricsSource } from '@pintle/controllers';
import { addBuiltinControllers, addSimulatedNodes } from '@pintle/controllers';
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '@pintle/kinds/apps/v1';
import { HorizontalPodAutoscaler } from '@pintle/kinds/autoscaling/v2';
import { CronJob, Job } from '@pintle/kinds/batch/v1';
import { Namespace, Node, Pod, ReplicationController, ServiceAccount } from '@pintle/kinds/core/v1';
import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { canonicalJson, type JsonValue } from '@pintle/machinery/json';
import { Manager } from '@pintle/operator';
import type { Plane } from '../../helpers/plane.ts';

/** What controllers are to bring about, once in each of many places that know nothing of each other. */
export interface Workload {
  /** Those that are killed. */
  readonly controllers: readonly string[];
  /** Those that live on meanwhile, and whether there are nodes. */
  readonly beside?: readonly string[];
  readonly nodes?: 'beside' | 'killed';
  /** Once, before everything. */
  prepare?(client: Client): Promise<void>;
  begin(client: Client, place: string): Promise<void>;
  /** Whether it has come about. It may do what somebody else would do on the way. */
  isDone(client: Client, place: string): Promise<boolean | undefined>;
  /** Whose objects must be the same in the end: those in the namespace, or whose names begin with the place's. */
  readonly kinds: readonly ResourceType[];
}

export interface Outcome {
  readonly writes: number;
  readonly state: readonly string[];
}

const NOBODY = async (): Promise<never> => {
  throw new Error('nobody knows');
};
/** Every pod uses twice what it should. */
function metricsOf(client: Client): MetricsSource {
  const usage = { milli: 200, atMs: Date.UTC(2030, 0, 1), windowMs: 0 };
  return {
    resource: async ({ namespace }) => {
      const { items } = await client.list(Pod, { namespace });
      return new Map(items.map(({ metadata }) => [metadata.name ?? '', usage]));
    },
    pods: NOBODY,
    object: NOBODY,
    external: NOBODY,
  };
}

const SUBJECT = {
  commonName: 'system:node:jane',
  organizations: ['system:nodes'],
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
};
const OPTIONS = {
  rootCa: 'the root certificate',
  signToken: async () => 'token',
  certificates: {
    readRequest: async () => ({
      subject: SUBJECT,
      sign: async () => '-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n',
    }),
  },
};

/** What controllers go on looking after, outermost first. */
const LIVELY: readonly unknown[] = [
  HorizontalPodAutoscaler,
  Deployment,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  DaemonSet,
  CronJob,
  Job,
  PodDisruptionBudget,
  Pod,
  Node,
];

/** Begins the workload in a place of its own, kills its controllers at their write `diesAt`, and has others take over. */
export async function survive(plane: Plane, workload: Workload, place: string, diesAt: number): Promise<Outcome> {
  const { client } = plane;
  await client.create(Namespace, { metadata: { name: place } });
  await client.create(ServiceAccount, { metadata: { namespace: place, name: 'default' } });
  await workload.begin(client, place);
  const first = new AbortController();
  let writes = 0;
  const send: Transport['send'] = async (request) => {
    if (first.signal.aborted) throw new Error('it is dead');
    const answer = await client.transport.send(request);
    const isWrite = request.method !== 'GET' && !/\/(events|leases)/.test(request.path);
    if (!isWrite || ++writes < diesAt) return answer;
    first.abort();
    throw new Error('it was killed');
  };
  const isDone = async (): Promise<boolean | undefined> => await workload.isDone(client, place);
  const dying = run(
    plane,
    new Client({ transport: { ...client.transport, send }, clock: plane.clock }),
    workload,
    first,
  );
  await plane.eventually(async () => first.signal.aborted || (await isDone()));
  if (diesAt === Number.POSITIVE_INFINITY) await plane.clock.advance(5_000);
  first.abort();
  await dying;
  const second = new AbortController();
  const living = run(plane, client, workload, second);
  await plane.eventually(isDone);
  await plane.clock.advance(5_000);
  const state = await stateOf(client, workload.kinds, place);
  second.abort();
  await living;
  return { writes, state };
}

/** Runs what lives on until it is disposed of. */
export async function runBeside(plane: Plane, { beside = [], nodes }: Workload): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const manager = managerOf(plane, plane.client);
  addBuiltinControllers(manager, [...beside], { ...OPTIONS, metrics: metricsOf(plane.client) });
  if (nodes === 'beside') addSimulatedNodes(manager, 2);
  const running = manager.run({ signal: stop.signal });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function run(
  plane: Plane,
  client: Client,
  { controllers, nodes }: Workload,
  stop: AbortController,
): Promise<void> {
  const manager = managerOf(plane, client);
  addBuiltinControllers(manager, [...controllers], { ...OPTIONS, metrics: metricsOf(plane.client) });
  if (nodes === 'killed') addSimulatedNodes(manager, 2);
  await manager.run({ signal: stop.signal });
}

function managerOf({ clock }: Plane, client: Client): Manager {
  return new Manager({ client, clock, random: new SeededRandom(3), isFrozen: true });
}

/** Everything of the place, without what differs from one life to another: names that were made up, times, identities. */
async function stateOf(client: Client, kinds: readonly ResourceType[], place: string): Promise<string[]> {
  const texts: string[] = [];
  const madeUp = new Map<string, string>();
  const objects: KubernetesObject[] = [];
  for (const type of kinds) {
    const { items } = await client.list(type, type.scope === 'Namespaced' ? { namespace: place } : {});
    for (const item of items) {
      const { name = '', generateName } = item.metadata;
      if (type.scope === 'Cluster' && name !== place && !name.startsWith(`${place}.`)) continue;
      if (generateName) madeUp.set(name, `${generateName}*`);
      objects.push(item);
    }
  }
  for (const { metadata, ...rest } of objects) {
    const { managedFields: _, resourceVersion: __, uid: ___, generation: ____, ...kept } = metadata;
    let text = canonicalJson({ ...rest, metadata: kept } as unknown as JsonValue);
    for (const [name, label] of madeUp) text = text.replaceAll(name, label);
    texts.push(anonymous(text, place));
  }
  return texts.sort();
}

function anonymous(text: string, place: string): string {
  return (
    text
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
      .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"RV"')
      .replace(/"observedGeneration":\d+/g, '"observedGeneration":GENERATION')
      .replace(/10\.\d+\.\d+\.\d+/g, 'ADDRESS')
      // When a target was last scaled is told in the write after the scaling: who dies between them never says.
      .replace(/,"lastScaleTime":"TIME"/, '')
      // What led to the last change of endpoints is what was seen since the start.
      .replace(
        /(,?)"endpoints\.kubernetes\.io\/last-change-trigger-time":"TIME"(,?)/,
        (_, before, after) => before && after,
      )
      .replace('"annotations":{},', '')
      .replace(/kube-api-access-\w{5}/g, 'kube-api-access-*')
      .replace(/node-\d/g, 'NODE')
      .replace(/192\.0\.2\.\d/g, 'NODE ADDRESS')
      .replaceAll(place, 'PLACE')
      .replaceAll(Buffer.from(place).toString('base64'), 'PLACE')
  );
}

/** Removes what was made, so that it is nobody's concern later. */
export async function sweep(client: Client): Promise<void> {
  for (const type of LIVELY as readonly ResourceType[])
    for (const { metadata } of (await client.list(type)).items) {
      const { namespace, name = '' } = metadata;
      await client.delete(type, { namespace, name }, { gracePeriodSeconds: 0, propagationPolicy: 'Background' });
    }
}
