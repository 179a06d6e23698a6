// The measured server in its own process, put together as `pintle up` does.
import { once } from 'node:events';
import { CertificateAuthenticator, FileSink, HttpsListener } from '@pintle/apiserver';
import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import { realClock, systemRandom } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { Operation, Store } from '@pintle/store';
import { openLmdbStore, openMemoryStore } from '@pintle/store';
import { KubeApiServer } from '../../kube-api-server.ts';
import { configMap } from './objects.ts';
import type { Order, StartMessage } from './protocol.ts';
import { UsageMeter } from './usage-meter.ts';

const FILL_BATCH = 200;
const CREATED = '2026-01-02T03:04:05Z';

await main();

async function main(): Promise<void> {
  const [start] = (await once(process, 'message')) as [StartMessage];
  const { pair, clientCa, folder, auditLog } = start;
  const store = folder === undefined ? await openMemoryStore({ clock: realClock }) : await openLmdbStore(folder);
  const server = await KubeApiServer.open({
    store,
    clock: realClock,
    random: systemRandom,
    authenticator: new CertificateAuthenticator({ authorities: clientCa, clock: realClock }),
    audit: { sink: await FileSink.open(auditLog, { maxBytes: 20 * 1024 * 1024 }) },
    onError: (error) => console.error(error),
  });
  const listener = await HttpsListener.listen({ handle: (request) => server.answer(request), ...pair, clientCa });
  const meter = new UsageMeter();
  process.on('message', (order: Order) => void answer(order, store, meter).then((reply) => process.send?.(reply)));
  process.on('disconnect', () => process.exit());
  const { user, system } = process.cpuUsage();
  process.send?.({ port: listener.port, startMs: (user + system) / 1000 });
}

async function answer(order: Order, store: Store, meter: UsageMeter): Promise<object> {
  if (order.type === 'usage') return meter.take(order);
  if (order.type === 'fill') await fill(store, order);
  if (order.type === 'put') await put(store, order);
  return {};
}

/** Stores objects as the API would. */
async function fill(store: Store, { count, prefix }: Extract<Order, { type: 'fill' }>): Promise<void> {
  for (let at = 0; at < count; at += FILL_BATCH) {
    const size = Math.min(FILL_BATCH, count - at);
    await store.commit(Array.from({ length: size }, (_, i) => putOf(`${prefix}-${String(at + i).padStart(6, '0')}`)));
  }
}

async function put(store: Store, { resource, objects }: Extract<Order, { type: 'put' }>): Promise<void> {
  const operations = objects.map((object): Operation => {
    const { namespace = '', name = '' } = object.metadata;
    const stored = {
      ...object,
      metadata: { ...object.metadata, uid: systemRandom.uuid(), creationTimestamp: CREATED },
    };
    return { type: 'put', key: objectKey(resource, namespace, name), value: encodeObject(stored) };
  });
  await store.commit(operations);
}

function putOf(name: string): Operation {
  const object = configMap(name) as KubernetesObject;
  Object.assign(object.metadata, {
    uid: systemRandom.uuid(),
    creationTimestamp: CREATED,
    managedFields: [
      {
        manager: 'bench',
        operation: 'Update',
        apiVersion: 'v1',
        time: CREATED,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:text': {}, 'f:version': {}, 'f:config.json': {} } },
      },
    ],
  });
  const key = objectKey({ group: '', resource: 'configmaps' }, 'default', name);
  return { type: 'put', key, value: encodeObject(object) };
}
