import { realClock, Turns } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import type { Affinity, Pod, PodAffinityTerm } from '@pintle/kinds/core/v1';
import { describe, expect, test } from 'vitest';
import { matchesTerm } from './affinity-term.ts';
import type { Candidate } from './node-fit.ts';
import { NodeInfo } from './node-info.ts';
import { TopologyConstraints } from './topology-constraints.ts';

/** The bound is 10 ms and a step on an idle machine; no busy one exceeds this by accident. */
const MAX_STALL_MS = 250;
const HOST = 'kubernetes.io/hostname';
const ZONE = 'zone';

function pod(name: string, labels: Record<string, string> = {}, affinity?: Affinity): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name, namespace: 'x', labels },
    spec: { containers: [], ...(affinity && { affinity }) },
  };
}

/** A node per list of pods; two nodes are a zone. */
function nodes(...lists: readonly (readonly Pod[])[]): Candidate[] {
  return lists.map((pods, index) => {
    const info = new NodeInfo();
    for (const each of pods) info.add(each);
    const labels = { [HOST]: `n${index}`, [ZONE]: `z${Math.floor(index / 2)}` };
    return { node: { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${index}`, labels } }, info };
  });
}

const term = (app: string, topologyKey = HOST): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
});
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const far = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const of = (newcomer: Pod, all: readonly Candidate[]): Promise<TopologyConstraints> =>
  TopologyConstraints.of(newcomer, all, () => ({}), new Turns(realClock));

async function check(newcomer: Pod, lists: readonly (readonly Pod[])[], expected: string): Promise<void> {
  const all = nodes(...lists);
  const topology = await of(newcomer, all);
  const free = all.filter(({ node }) => topology.refusalOf(node) === undefined);
  expect(free.map(({ node }) => node.metadata.name).join(' ')).toBe(expected);
}

const web = pod('web', { app: 'web' });
const db = pod('db', { app: 'db' });
const both = pod('both', { app: 'web', tier: 'front' });
const front: PodAffinityTerm = { topologyKey: HOST, labelSelector: { matchLabels: { tier: 'front' } } };

describe('where others let a pod go', () => {
  test('near those it wants', () => check(pod('new', {}, near(term('web'))), [[web], [db], []], 'n0'));
  test('into their zone', () => check(pod('new', {}, near(term('web', ZONE))), [[web], [], []], 'n0 n1'));
  test('near those that all terms mean', () =>
    check(pod('new', {}, near(term('web'), front)), [[web], [both], []], 'n1'));
  test('anywhere, as the first of its group', () =>
    check(pod('new', { app: 'web' }, near(term('web'))), [[db], []], 'n0 n1'));
  test('nowhere, without those it wants', () => check(pod('new', {}, near(term('web'))), [[db], []], ''));
  test('away from those it does not want', () => check(pod('new', {}, far(term('web'))), [[web], [db]], 'n1'));
  test('away from those that do not want it', () =>
    check(pod('new', { app: 'web' }), [[pod('shy', {}, far(term('web', ZONE)))], [], []], 'n2'));
  test('there where one of theirs has gone', async () => {
    const all = nodes([web]);
    const topology = await of(pod('new', {}, far(term('web'))), all);
    topology.remove(web, all[0]!.node);
    expect(topology.refusalOf(all[0]!.node)).toBeUndefined();
  });
});

describe('the namespaces that a term means', () => {
  const selected = { matchLabels: { team: 'a' } };
  const labelsOf = (namespace: string): Record<string, string> => (namespace === 'a' ? { team: 'a' } : {});
  const cases: [string, Partial<PodAffinityTerm>, string][] = [
    ['its own when none are given', {}, 'x'],
    ['all that an empty selector selects', { namespaceSelector: {} }, 'a b x'],
    ['those that a selector selects', { namespaceSelector: selected }, 'a'],
    ['those that are listed', { namespaces: ['b'] }, 'b'],
    ['those that are listed or selected', { namespaces: ['b'], namespaceSelector: selected }, 'a b'],
  ];
  test.each(cases)('%s', (_title, namespaces, expected) => {
    const found = ['a', 'b', 'x'].filter((namespace) => {
      const other = { ...web, metadata: { ...web.metadata, namespace } };
      return matchesTerm(pod('new'), { ...term('web'), ...namespaces }, other, labelsOf);
    });
    expect(found.join(' ')).toBe(expected);
  });
});

const crowd = (count: number, affinity?: Affinity): Pod[] =>
  Array.from({ length: count }, (_, index) => pod(`p${index}`, { app: 'x', zz: 'none' }, affinity));

test('a term is compiled once, however many nodes and pods there are', async () => {
  let reads = 0;
  const values = Array.from({ length: 1_000 }, (_, index) => String(index));
  const requirement = {
    key: 'zz',
    operator: 'In',
    get values() {
      reads++;
      return values;
    },
  };
  const evil = far({ topologyKey: HOST, labelSelector: { matchExpressions: [requirement] } });
  const all = nodes(crowd(10), crowd(10), crowd(10, evil), crowd(10, evil));
  const topology = await of(pod('new', { zz: 'none' }, evil), all);
  for (const { node } of all) topology.refusalOf(node);
  expect(reads).toBe(1);
});

describe('others are not held up by', () => {
  const many = Array.from({ length: 9_900 }, (_, index) => term(`x${index}`));
  const varied = Array.from({ length: 9_900 }, (_, index): PodAffinityTerm => {
    const matchExpressions = [{ key: `k${index}`, operator: 'Exists' }];
    return { topologyKey: HOST, labelSelector: { matchExpressions } };
  });
  const attacks: [string, Pod, Candidate[]][] = [
    ['many terms', pod('new', {}, far(...many)), nodes(crowd(500), crowd(500))],
    ['many terms without a value', pod('new', {}, far(...varied)), nodes(crowd(200), crowd(200))],
    ['many terms of others', pod('new', { app: 'y' }), nodes(crowd(500, far(...many)), crowd(500, far(...many)))],
  ];
  test.each(attacks)('%s', async (_title, newcomer, all) => {
    expect(await longestComputation(() => of(newcomer, all))).toBeLessThan(MAX_STALL_MS);
  });
});
