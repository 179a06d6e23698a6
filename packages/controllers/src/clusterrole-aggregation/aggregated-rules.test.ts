import type { ClusterRole } from '@pintle/kinds/rbac/v1';
import { expect, test } from 'vitest';
import { aggregatedRules } from './aggregated-rules.ts';

const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
const part = (name: string, labels: Record<string, string>, ...verbs: string[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules: verbs.map(rule),
});
const parts = [
  part('b', { to: 'whole' }, 'list', 'get'),
  part('a', { to: 'whole' }, 'get'),
  part('c', { to: 'other' }, 'delete'),
  part('whole', { to: 'whole' }, 'own'),
];

function check(selectors: object[], verbs: string[]): void {
  const whole = { ...parts[3]!, aggregationRule: { clusterRoleSelectors: selectors } };
  expect(aggregatedRules(whole, parts).map((each) => each.verbs[0])).toEqual(verbs);
}

test('rules come in the order of the names of the parts, each once', () =>
  check([{ matchLabels: { to: 'whole' } }], ['get', 'list']));

test('a selector adds to those before', () =>
  check([{ matchLabels: { to: 'other' } }, { matchLabels: { to: 'whole' } }], ['delete', 'get', 'list']));

test('nothing is picked by what nobody has', () => check([{ matchLabels: { to: 'nobody' } }], []));
