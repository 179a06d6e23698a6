import { type PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { LiveClaimUsers } from './live-claim-users.ts';

const namespace = 'shop';
const claim = (name: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace },
});
const userOf = (claimName: string) => ({
  apiVersion: Pod.apiVersion,
  kind: Pod.kind,
  metadata: { name: `user-of-${claimName}`, namespace },
  spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
});

/** A server whose lists are answered one by one. */
function openServer() {
  const lists: { readonly answer: (pods: object[]) => void; readonly fail: (error: Error) => void }[] = [];
  const list = () =>
    new Promise((resolve, reject) => {
      lists.push({ answer: (items) => resolve({ items, metadata: {} }), fail: reject });
    });
  const users = new LiveClaimUsers({ list } as never, () => true);
  return { lists, users };
}

const nextTurn = () => new Promise(setImmediate);

test('claims that leave while the pods of their namespace are read share the next list', async () => {
  const { lists, users } = openServer();
  const first = users.isUsed(claim('first'));
  const others = Array.from({ length: 100 }, (_, index) => users.isUsed(claim(`c${index}`)));
  await nextTurn();
  expect(lists).toHaveLength(1);
  // A pod that uses c7 was bound after this list: only a list that began after the question answers it.
  lists[0]!.answer([userOf('first')]);
  expect(await first).toBe(true);
  await nextTurn();
  expect(lists).toHaveLength(2);
  lists[1]!.answer([userOf('c7')]);
  expect((await Promise.all(others)).flatMap((isUsed, index) => (isUsed ? [index] : []))).toEqual([7]);
  await nextTurn();
  expect(lists).toHaveLength(2);
});

test('a list that fails fails the claims that waited for it, and no others', async () => {
  const { lists, users } = openServer();
  const first = users.isUsed(claim('first'));
  const second = users.isUsed(claim('second'));
  await nextTurn();
  lists[0]!.fail(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await nextTurn();
  lists[1]!.answer([]);
  expect(await second).toBe(false);
});
