import { expect, test } from 'vitest';
import { Mask } from './compare.ts';
import { Relations } from './relations.ts';
import type { World } from './world.ts';

const [users, login] = ['configmaps default/users', 'secrets default/login'] as const;

test('a value that differs by chance is the same in all its places', () => {
  expect(brokenBy('d1f4a6b2', 'd1f4a6b2')).toEqual([]);
  expect(brokenBy('d1f4a6b2', '77aa01cc')).toEqual([[`${users} data.password`, `${login} data.password`]]);
});

test('places are not compared that differ without faults, and numbers may be equal by accident', () => {
  expect(brokenBy('x', 'y', [worldOf('d1f4a6b2', '77aa01cc'), worldOf('a0a1a2a3', '00112233')])).toEqual([]);
  expect(brokenBy('1', '2', [worldOf('1700000000', '1700000000'), worldOf('1800000000', '1800000000')])).toEqual([]);
});

function brokenBy(one: string, other: string, free = random()): string[][] {
  const mask = new Mask();
  mask.learn(...free);
  const places = Relations.between(free, mask).brokenIn(worldOf(one, other));
  return places.map((relation) => [relation.one, relation.other].map(({ object, field }) => `${object} ${field}`));
}

function worldOf(password: string, secret: string): World {
  const encoded = Buffer.from(secret).toString('base64');
  return new Map([
    [users, { fields: new Map([['data.password', password]]), object: {} }],
    [login, { fields: new Map([['data.password', encoded]]), object: {} }],
  ]);
}

function random(): [World, World] {
  return [worldOf('aa00bb11', 'aa00bb11'), worldOf('cc22dd33', 'cc22dd33')];
}
