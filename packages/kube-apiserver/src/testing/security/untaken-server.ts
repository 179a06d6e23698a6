// The server of `untaken.test.ts`, in its own process with a small heap: it stores a large collection.

import { HttpsListener, TokenAuthenticator } from '@pintle/apiserver';
import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import { realClock, systemRandom } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { openMemoryStore } from '@pintle/store';
import { KubeApiServer } from '../../kube-api-server.ts';

export interface UntakenServerReady {
  readonly port: number;
  readonly authority: string;
}

const COUNT = 2_000;
const OBJECT_BYTES = 15_000;
const AT_ONCE = 100;

const store = await openMemoryStore({ clock: realClock });
for (let from = 0; from < COUNT; from += AT_ONCE) {
  await store.commit(Array.from({ length: AT_ONCE }, (_, i) => put(`map-${String(from + i).padStart(5, '0')}`)));
}
const user = (username: string, ...groups: string[]) => ({
  token: username,
  user: { username, groups: [...groups, 'system:authenticated'] },
});
const server = await KubeApiServer.open({
  store,
  clock: realClock,
  random: systemRandom,
  authenticator: new TokenAuthenticator([user('admin', 'system:masters'), user('mallory'), user('alice')]),
  authorizer: { authorize: () => ({ allowed: true, reason: '' }) },
});
const authority = await createAuthority('untaken', 1, realClock.now());
const hosts = { commonName: 'server', hosts: ['127.0.0.1'], usage: 'server', days: 1 } as const;
const pair = await issueCertificate(authority, hosts, realClock.now());
const listener = await HttpsListener.listen({ handle: (request) => server.answer(request), ...pair });
process.on('disconnect', () => process.exit());
process.send?.({ port: listener.port, authority: authority.certificate } satisfies UntakenServerReady);

function put(name: string) {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', uid: name, labels: { app: 'untaken' } },
    data: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, 'x'.repeat(OBJECT_BYTES / 30)])),
  } as KubernetesObject;
  const key = objectKey({ group: '', resource: 'configmaps' }, 'default', name);
  return { type: 'put' as const, key, value: encodeObject(object) };
}
