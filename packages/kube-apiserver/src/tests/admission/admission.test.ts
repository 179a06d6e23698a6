import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { forbiddenError } from '@pintle/machinery/errors';
import { describe, expect, test } from 'vitest';
import { openTestApi } from '../../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

/** Sees every write of a config map and lets a test step in. */
function plugin(steps: Omit<AdmissionPlugin, 'name' | 'handles'>): AdmissionPlugin {
  return { name: 'Test', handles: ({ context }) => context.info.resource === 'configmaps', ...steps };
}

describe('a write passes admission', () => {
  const writes: [string, (api: Awaited<ReturnType<typeof openTestApi>>) => Promise<{ status: number }>, string][] = [
    ['POST', (api) => api.post(MAPS, map('b')), 'CREATE b'],
    ['PUT', (api) => api.put(`${MAPS}/a`, map('a', { x: '1' })), 'UPDATE a'],
    ['PATCH', (api) => api.merge(`${MAPS}/a`, { data: { x: '1' } }), 'UPDATE a'],
    ['DELETE', (api) => api.delete(`${MAPS}/a`), 'DELETE a'],
    ['DELETE of all', (api) => api.delete(MAPS), 'DELETE a'],
  ];
  test.each(writes)('%s', async (_name, write, expected) => {
    const seen: string[] = [];
    let isOn = false;
    const watching = plugin({
      validate: ({ operation, name }) => {
        if (isOn) seen.push(`${operation} ${name}`);
      },
    });
    await using api = await openTestApi({ admission: [watching] });
    await api.post(MAPS, map('a'));
    isOn = true;
    const { status } = await write(api);
    expect(status).toBeLessThan(300);
    expect(seen).toEqual([expected]);
  });
});

test('what mutate changes is stored, and validate sees it', async () => {
  const changes = plugin({
    mutate: (request) => {
      request.object = { ...request.object!, ...{ data: { changed: 'yes' } } };
    },
    validate: ({ object }) => expect(object).toMatchObject({ data: { changed: 'yes' } }),
  });
  await using api = await openTestApi({ admission: [changes] });
  await api.post(MAPS, map('a'));
  expect((await api.get(`${MAPS}/a`)).body.data).toEqual({ changed: 'yes' });
});

test('a refused write leaves nothing behind', async () => {
  const refuse = ({ operation, name }: AdmissionRequest) => {
    if (operation !== 'CREATE' || name === 'bad')
      throw forbiddenError({ group: '', resource: 'configmaps' }, name, 'no');
  };
  await using api = await openTestApi({ admission: [plugin({ validate: refuse })] });
  expect(await api.post(MAPS, map('bad'))).toMatchObject({ status: 403 });
  expect(await api.get(`${MAPS}/bad`)).toMatchObject({ status: 404 });
  await api.post(MAPS, map('good'));
  expect(await api.put(`${MAPS}/good`, map('good', { x: '1' }))).toMatchObject({ status: 403 });
  expect(await api.delete(`${MAPS}/good`)).toMatchObject({ status: 403 });
  expect((await api.get(`${MAPS}/good`)).body.data).toBeUndefined();
});
