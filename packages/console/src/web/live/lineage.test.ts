import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Lineage } from './lineage.ts';
import type { Node } from './readers.ts';

const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.oneof(
  fc.record({ act: fc.constant('put' as const), uid, owners: fc.array(uid, { maxLength: 2 }) }),
  fc.record({ act: fc.constantFrom('remove' as const, 'bury' as const), uid }),
  fc.record({ act: fc.constantFrom('forget' as const, 'link' as const) }),
);

function nodeOf(uid: string, owners: readonly string[], revision: number): Node {
  return { uid, owners, revision, changedMs: revision } as unknown as Node;
}

test('whatever comes and goes, each node is under its first owner that is there, or is a root', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const lineage = new Lineage();
      const model = new Map<string, { owners: readonly string[]; isGone: boolean }>();
      steps.forEach((each, index) => {
        if (each.act === 'put') {
          lineage.put(nodeOf(each.uid, each.owners, index + 1));
          model.set(each.uid, { owners: each.owners, isGone: false });
        } else if (each.act === 'remove') {
          lineage.remove(each.uid);
          model.delete(each.uid);
        } else if (each.act === 'bury') {
          lineage.bury(each.uid, index);
          const known = model.get(each.uid);
          if (known !== undefined) known.isGone = true;
        } else if (each.act === 'forget') {
          lineage.forget(index);
          for (const [uid, { isGone }] of model) if (isGone) model.delete(uid);
        } else lineage.link();
      });
      lineage.link();
      expect([...lineage.nodes.keys()].sort()).toEqual([...model.keys()].sort());
      for (const [uid, { owners, isGone }] of model) {
        const owner = owners.find((each) => each !== uid && model.has(each));
        const siblings = owner === undefined ? lineage.roots : (lineage.children.get(owner) ?? []);
        expect(siblings.map((node) => node.uid)).toContain(uid);
        expect(lineage.nodes.get(uid)?.goneMs !== 0).toBe(isGone);
      }
      const linked = [...lineage.children.values()].reduce((sum, each) => sum + each.length, lineage.roots.length);
      expect(linked).toBe(model.size);
    }),
    { numRuns: 500 },
  );
});

test('a node that only says something else leaves the shape as it is', () => {
  const lineage = new Lineage();
  for (let index = 0; index < 100; index++) lineage.put(nodeOf(`${index}`, [], 1));
  lineage.link();
  const { shape, roots } = lineage;
  lineage.takeChanged();
  lineage.put(nodeOf('7', [], 2));
  lineage.put(nodeOf('8', [], 1));
  lineage.link();
  expect(lineage.shape).toBe(shape);
  expect(lineage.roots).toBe(roots);
  expect([...lineage.takeChanged()]).toEqual(['7']);
  expect(lineage.takeChanged().size).toBe(0);
});

test('what is gone stays in its place until it is forgotten, and is whole again when it returns', () => {
  const lineage = new Lineage();
  lineage.put(nodeOf('a', [], 1));
  lineage.link();
  const { shape } = lineage;
  lineage.bury('a', 100);
  lineage.link();
  expect([lineage.shape, lineage.nodes.get('a')?.goneMs, lineage.hasGone]).toEqual([shape, 100, true]);
  lineage.forget(99);
  expect(lineage.nodes.size).toBe(1);
  lineage.put(nodeOf('a', [], 2));
  lineage.forget(100);
  expect([lineage.nodes.get('a')?.goneMs, lineage.hasGone]).toEqual([0, false]);
});
