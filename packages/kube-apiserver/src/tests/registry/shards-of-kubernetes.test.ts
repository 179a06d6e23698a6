import { readFileSync } from 'node:fs';
import { type Random, SeededRandom } from '@pintle/async';
import { ShardSelector, shardHash } from '@pintle/machinery/selectors';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestServer, type TestServer, textOf } from '../../testing/open-test-server.ts';
import { equalRanges, runShardScenario, type ScenarioServer, SELECTORS } from '../../testing/shard-scenario.ts';

/** The answers of kube-apiserver 1.36.4; `scripts/record-shards.mjs` records them. */
const { uids, recorded } = JSON.parse(
  readFileSync(new URL('../../testdata/shards-of-kubernetes.json', import.meta.url), 'utf8'),
) as { readonly uids: Readonly<Record<string, string>>; readonly recorded: Record<string, Record<string, unknown>> };

/** Gives objects the uids that they had on the server that was recorded. */
class RecordedUids extends SeededRandom implements Random {
  nextUid: string | undefined;

  override uuid(): string {
    const uid = this.nextUid ?? super.uuid();
    this.nextUid = undefined;
    return uid;
  }
}

function scenarioServer({ send, clock }: TestServer, random: RecordedUids): ScenarioServer {
  return {
    send: async (method, target, body, accept = 'application/json') => {
      const headers = { accept, 'content-type': 'application/json' };
      const response = await send(method, target, { headers, ...(body && { body }) });
      return { status: response.status, text: await textOf(response) };
    },
    watch: async (target, change) => {
      const response = await send('GET', target, { headers: { accept: 'application/json' } });
      const text = textOf(response);
      await change();
      await clock.advance(5_000);
      return { status: response.status, text: await text };
    },
    uids: {
      expect: (name) => {
        random.nextUid = uids[name];
      },
      created: (name, uid) => expect(uid).toBe(uids[name]),
    },
  };
}

let replayed: Record<string, Record<string, unknown>>;

beforeAll(async () => {
  const random = new RecordedUids(1);
  await using server = await openTestServer({ random, auditIds: new SeededRandom(2) });
  replayed = (await runShardScenario(scenarioServer(server, random))) as typeof replayed;
}, 60_000);

describe('a list answers as kube-apiserver does', () => {
  test.each(SELECTORS.map((selector) => [selector]))('%j', (selector) => {
    expect(replayed.selectors![selector]).toEqual(recorded.selectors![selector]);
  });

  test.each(Object.keys(recorded.reads!))('%s', (name) => expect(replayed.reads![name]).toEqual(recorded.reads![name]));

  test('of 2 to 16 equal ranges', () => expect(replayed.partitions).toEqual(recorded.partitions));

  test('in pages', () => expect(replayed.pages).toEqual(recorded.pages));
});

test.each(Object.keys(recorded.watches!))('a watch answers as that of kube-apiserver: %s', (name) => {
  expect(replayed.watches![name]).toEqual(recorded.watches![name]);
});

test('deletecollection deletes what kube-apiserver deletes', () => {
  expect(replayed.deletecollection).toEqual(recorded.deletecollection);
});

test('the metrics have the names, types and labels of those of kube-apiserver', () => {
  expect(replayed.metrics).toEqual(recorded.metrics);
});

test('any number of equal ranges is a disjoint cover of 100,000 uids', () => {
  const random = new SeededRandom(3);
  const hashes = Array.from({ length: 100_000 }, () => shardHash(random.uuid()));
  for (const count of [1, 2, 3, 5, 7, 16]) {
    const parts = equalRanges(count).map(([start, end]) => new ShardSelector('object.metadata.uid', [{ start, end }]));
    expect(hashes.every((hash) => parts.filter((part) => part.hasHash(hash)).length === 1)).toBe(true);
  }
});
