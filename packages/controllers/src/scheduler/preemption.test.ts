import { realClock, Turns } from '@pintle/async';
import type { Node, Pod } from '@pintle/kinds/core/v1';
import type { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import { expect, test } from 'vitest';
import { NodeInfo } from './node-info.ts';
import { findPreemption } from './preemption.ts';
import { TopologyConstraints } from './topology-constraints.ts';

/** `name@priority×cpu`, `*` behind it: a budget keeps it. */
function pod(text: string): Pod {
  const [, name = '', priority = '', cpu = '', isKept] = /^(\w+)@(-?\d+)×(\d+)(\*?)$/.exec(text) ?? [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name, namespace: 'x', labels: isKept ? { kept: 'yes' } : {} },
    spec: { priority: Number(priority), containers: [{ name: 'app', resources: { requests: { cpu } } }] },
  };
}

const BUDGET: PodDisruptionBudget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'kept', namespace: 'x' },
  spec: { selector: { matchLabels: { kept: 'yes' } } },
  status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
};

/** Each node has 10 CPUs and the pods that are written behind it: `a: x@1×5 y@2×5`. */
async function check(newcomer: string, nodes: readonly string[], expected: string): Promise<void> {
  const candidates = nodes.map((line) => {
    const [name = '', pods = ''] = line.split(': ');
    const info = new NodeInfo();
    for (const text of pods.split(' ').filter(Boolean)) info.add(pod(text));
    const node: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { allocatable: { cpu: '10' } } };
    return { node, info };
  });
  const turns = new Turns(realClock);
  const topology = await TopologyConstraints.of(pod(newcomer), candidates, () => ({}), turns);
  const found = await findPreemption(pod(newcomer), candidates, topology, [BUDGET], turns);
  const victims = found?.victims.map(({ metadata }) => metadata.name).join(' ');
  expect(found === undefined ? 'none' : `${found.node.metadata.name}: ${victims}`).toBe(expected);
}

test('only those of less importance leave, and not more than must', () =>
  check('new@5×5', ['a: x@1×3 y@2×3 z@9×4'], 'a: y x'));
test('nobody leaves for one of the same importance', () => check('new@5×5', ['a: x@5×10'], 'none'));
test('nobody leaves where that would not do', () => check('new@5×5', ['a: x@1×2 y@9×8'], 'none'));
test('the most important stay where one can choose', () => check('new@5×3', ['a: x@1×4 y@4×3 z@2×3'], 'a: x'));
test('the less important leave', () => check('new@5×5', ['a: x@4×10', 'b: y@1×10'], 'b: y'));
test('fewer leave', () => check('new@5×6', ['a: x@1×5 y@1×5', 'b: z@1×10'], 'b: z'));
test('those that a budget keeps leave last', () => check('new@5×5', ['a: x@1×5* y@3×5'], 'a: y'));
test('a node without kept pods is preferred', () => check('new@5×5', ['a: x@1×10*', 'b: y@3×10'], 'b: y'));
test('a budget does not stop what nothing else helps', () => check('new@5×5', ['a: x@1×10*'], 'a: x'));
