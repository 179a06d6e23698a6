import type { UserInfo } from '@pintle/apiserver';
import { inProcess } from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import { KubeApiServer } from '@pintle/kube-apiserver';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { openMemoryStore } from '@pintle/store';
import { expect, test, vi } from 'vitest';
import { openWeather } from './server.ts';

const ADMIN: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const ROOT = '/apis/weather.example.com/v1';

test('stations are stored, forecasts computed, and both are part of the cluster’s API', async () => {
  await using store = await openMemoryStore();
  await using own = await openMemoryStore();
  const proxyAuthority = await createAuthority('front', 1, Date.now());
  const spec = { commonName: 'front-proxy', hosts: [], usage: 'client' as const, days: 1 };
  const main = await KubeApiServer.open({
    store,
    clock: realClock,
    random: systemRandom,
    authenticator: { authenticate: () => undefined },
    proxyCertificate: await issueCertificate(proxyAuthority, spec, Date.now()),
    requestHeaders: {
      authorities: proxyAuthority.certificate,
      allowedNames: ['front-proxy'],
      usernameHeaders: ['X-Remote-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: ['X-Remote-Group'],
      extraPrefixes: ['X-Remote-Extra-'],
    },
    resolveService: async () => ({ host: '127.0.0.1', port: weather.port }),
  });
  const cluster = { send: inProcess(main, ADMIN) };
  const ask = async (method: string, path: string, object?: object) => {
    const body = object && Buffer.from(JSON.stringify(object));
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const answer = await cluster.send({ method, path, headers, ...(body && { body }) });
    const chunks: Uint8Array[] = [];
    if (answer.body instanceof Uint8Array) chunks.push(answer.body);
    else for await (const chunk of answer.body) chunks.push(chunk);
    return { status: answer.status, text: Buffer.concat(chunks).toString() };
  };
  await ask('POST', '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'weather' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const weather = await openWeather({ cluster, store: own, service: { namespace: 'default', name: 'weather' } });
  await vi.waitFor(async () => expect((await ask('GET', `${ROOT}/stations`)).status).toBe(200), { timeout: 10_000 });

  const station = (name: string, altitude: number, city = 'Garmisch') => ({
    apiVersion: 'weather.example.com/v1',
    kind: 'Station',
    metadata: { name },
    spec: { altitude, city },
  });
  const path = `${ROOT}/namespaces/default/stations`;
  expect((await ask('POST', path, station('summit', 2962))).status).toBe(201);
  expect((await ask('POST', path, station('valley', 700))).status).toBe(201);
  expect((await ask('POST', path, station('deep', 0, 'Atlantis'))).text).toContain('it has sunk');
  const { items } = JSON.parse((await ask('GET', `${ROOT}/forecasts`)).text);
  expect(items.map(({ celsius }: { celsius: number }) => celsius)).toEqual([-4.3, 10.5]);
  const one = JSON.parse((await ask('GET', `${ROOT}/namespaces/default/forecasts/valley`)).text);
  expect(one).toMatchObject({ kind: 'Forecast', metadata: { name: 'valley' }, sky: 'rain' });

  // Nothing of Kubernetes' own is served here, and nothing but stations is stored.
  const apis = await inProcess(weather.server, ADMIN)({ path: '/apis', headers: { accept: 'application/json' } });
  const { groups } = JSON.parse(Buffer.from(apis.body as Uint8Array).toString());
  expect(groups.map(({ name }: { name: string }) => name)).toEqual(['weather.example.com']);
  const { records } = await own.range({ start: '' });
  const objects = records.map(({ key }) => key).filter((key) => !key.startsWith('_pintle/'));
  expect(
    objects.every((key) => key.includes('/stations/')),
    String(objects),
  ).toBe(true);

  await weather[Symbol.asyncDispose]();
  await main.close();
});
