import { ConfigMap } from '@pintle/kinds/core/v1';
import { startControlPlane } from '@pintle/testing';
import { expect, test } from 'vitest';
import { rewriteAll } from './migrate-storage.ts';

test('every page is written; conflicts are tried again, objects that are gone are left, refused ones are named', async () => {
  await using plane = await startControlPlane({ env: {}, controllers: [] });
  const { client } = plane;
  const names = ['a', 'b', 'c', 'd', 'e'];
  const refs = names.map((name) => ({ namespace: 'default', name }));
  const others = (await client.list(ConfigMap)).items.length;
  for (const metadata of refs) await client.create(ConfigMap, { metadata });
  // A change between the list and the write of b, a delete of c, and a refusal of d.
  const asked: string[] = [];
  const update = client.update.bind(client);
  client.update = (async (type: never, object: { metadata: { name: string } }, options: never) => {
    const { name } = object.metadata;
    asked.push(name);
    if (name === 'b' && asked.filter((each) => each === 'b').length === 1)
      await client.patch(ConfigMap, refs[1]!, { type: 'merge', body: { data: { changed: 'yes' } } });
    if (name === 'c') await client.delete(ConfigMap, refs[2]!);
    return await update(type, (name === 'd' ? { ...object, data: { 'not a key': '' } } : object) as never, options);
  }) as never;
  const { written, refused } = await rewriteAll(client, ConfigMap, 2);
  expect(asked.filter((name) => names.includes(name))).toEqual(['a', 'b', 'b', 'c', 'd', 'e']);
  expect(written).toBe(others + 3);
  expect(refused).toEqual([expect.stringMatching(/^default\/d: .*not a key/)]);
  expect((await client.get(ConfigMap, refs[1]!)).data).toEqual({ changed: 'yes' });
});
