import { SteppedClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import { ResponseMemory } from './response-memory.ts';
import type { UserInfo } from './user-info.ts';
import { ANONYMOUS } from './user-info.ts';

const KIB = 1024;
const request = { signal: new AbortController().signal };
const peer = { address: '10.0.0.1' };
const user = (username: string, ...groups: string[]): UserInfo => ({ username, groups });

function open() {
  const clock = new SteppedClock();
  const memory = new ResponseMemory({ clock, maxBytes: 800 * KIB, maxBytesPerClient: 200 * KIB });
  return { clock, memory };
}

describe('ResponseMemory', () => {
  test('gives a client room up to its part, and others theirs', () => {
    const { memory } = open();
    const jane = memory.clientOf(user('jane'), peer);
    expect(jane.tryTake(150 * KIB)).toBeDefined();
    expect(jane.tryTake(51 * KIB)).toBeUndefined();
    expect(memory.clientOf(user('joe'), peer).tryTake(51 * KIB)).toBeDefined();
    expect(memory.heldBytes).toBe(201 * KIB);
  });

  test('knows a user by the name and a stranger by the address', () => {
    const { memory } = open();
    const other = { address: '10.0.0.2' };
    expect(memory.clientOf(user('jane'), peer)).toBe(memory.clientOf(user('jane', 'some'), other));
    expect(memory.clientOf(ANONYMOUS, peer)).toBe(memory.clientOf(ANONYMOUS, { ...peer }));
    expect(memory.clientOf(ANONYMOUS, peer)).not.toBe(memory.clientOf(ANONYMOUS, other));
  });

  test('has who finds no room wait until some comes free', async () => {
    const { memory } = open();
    const jane = memory.clientOf(user('jane'), peer);
    const release = jane.tryTake(200 * KIB)!;
    const second = jane.take(100 * KIB, request);
    const third = jane.take(150 * KIB, request);
    expect(memory.waiting).toBe(2);
    release();
    release();
    expect(await second).toBeTypeOf('function');
    expect(memory.heldBytes).toBe(100 * KIB);
    ((await second) as () => void)();
    expect(await third).toBeTypeOf('function');
    expect(memory.waiting).toBe(0);
  });

  test('refuses who has waited too long, who has left, and who finds too many waiting', async () => {
    const { clock, memory } = open();
    const jane = memory.clientOf(user('jane'), peer);
    jane.add(201 * KIB);
    const gone = new AbortController();
    const left = jane.take(0, { signal: gone.signal });
    gone.abort();
    expect(await left).toBe('full');
    const late = Array.from({ length: 100 }, () => jane.take(0, request));
    expect(jane.take(0, request)).toBe('full');
    await clock.advance(10_000);
    expect(new Set(await Promise.all(late))).toEqual(new Set(['full']));
    expect(memory.waiting).toBe(0);
  });

  test('leaves room to system:masters and to small requests when lists hold all that lists may', () => {
    const { memory } = open();
    memory.clientOf(user('a'), peer).add(700 * KIB);
    const jane = memory.clientOf(user('jane'), peer);
    expect(jane.tryTake(10 * KIB)).toBeUndefined();
    expect(jane.hasRoom(0)).toBe(true);
    const admin = memory.clientOf(user('admin', 'system:masters'), peer);
    expect(admin.tryTake(100 * KIB)).toBeDefined();
    expect(admin.tryTake(1)).toBeUndefined();
    expect(admin.hasRoom(0)).toBe(true);
  });

  const takeAll = (memory: ResponseMemory, { username }: UserInfo): void => {
    const client = memory.clientOf(user(username), peer);
    while (client.tryTake(KIB) !== undefined);
  };

  test('leaves something to a newcomer, however many clients take all that they may', () => {
    const { memory } = open();
    const left = [200, 142, 102, 73, 52, 37, 27, 19];
    for (const [index, kib] of left.entries()) {
      const greedy = user(`greedy-${index}`);
      takeAll(memory, greedy);
      expect(memory.clientOf(greedy, peer).heldBytes).toBeGreaterThanOrEqual((kib - 1) * KIB);
      expect(memory.clientOf(greedy, peer).heldBytes).toBeLessThanOrEqual((kib + 1) * KIB);
    }
    const newcomer = memory.clientOf(user('newcomer'), peer);
    expect(newcomer.tryTake(10 * KIB)).toBeDefined();
    expect(newcomer.hasRoom(0)).toBe(true);
  });

  test('leaves two fifths of what lists may hold when four greedy clients hold equal parts', () => {
    const { memory } = open();
    const clients = ['a', 'b', 'c', 'd'].map((name) => memory.clientOf(user(name), peer));
    while (clients.map((client) => client.tryTake(KIB)).some((release) => release !== undefined));
    expect(memory.heldBytes / (700 * KIB)).toBeCloseTo(1 - 1 / (1 + 4 * 0.4), 1);
  });

  test('counts the service accounts of a namespace as one client, and those of this process by name', () => {
    const { memory } = open();
    const account = (name: string) => user(`system:serviceaccount:${name}`);
    const first = memory.clientOf(account('team:a'), peer);
    expect(memory.clientOf(account('team:b'), peer)).toBe(first);
    expect(memory.clientOf(account('other:a'), peer)).not.toBe(first);
    const inProcess = (name: string) => memory.clientOf(account(name), { ...peer, user: account(name) });
    expect(inProcess('team:a')).not.toBe(inProcess('team:b'));
  });

  test('lets a client wait while many others do', () => {
    const { memory } = open();
    for (let i = 0; i < 20; i++) {
      const greedy = memory.clientOf(user(`greedy-${i}`), peer);
      greedy.add(200 * KIB);
      for (let request = 0; request < 100; request++) void greedy.take(0, { signal: new AbortController().signal });
    }
    expect(memory.clientOf(user('newcomer'), peer).take(10 * KIB, request)).toBeInstanceOf(Promise);
  });

  test('serves by itself what is larger than the bound', () => {
    const { memory } = open();
    const jane = memory.clientOf(user('jane'), peer);
    const release = jane.tryTake(1_000 * KIB)!;
    expect(jane.hasRoom(0)).toBe(false);
    release();
    expect(jane.hasRoom(0)).toBe(true);
  });

  test('forgets clients that hold nothing', () => {
    const { memory } = open();
    const first = memory.clientOf(user('first'), peer);
    const busy = memory.clientOf(user('busy'), peer);
    busy.add(1);
    for (let i = 0; i < 10_000; i++) memory.clientOf(user(`user-${i}`), peer);
    expect(memory.clientOf(user('busy'), peer)).toBe(busy);
    expect(memory.clientOf(user('first'), peer)).not.toBe(first);
  });
});
