import { realClock, Turns } from '@pintle/async';
import type { ClusterRole } from '@pintle/kinds/rbac/v1';
import { expect, test } from 'vitest';
import { aggregatedRules, isPartOf } from './aggregated-rules.ts';

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

async function check(selectors: object[], verbs: string[]): Promise<void> {
  const aggregate = { ...parts[3]!, aggregationRule: { clusterRoleSelectors: selectors } };
  const rules = await aggregatedRules(aggregate, parts, new Turns(realClock));
  expect(rules.map((each) => each.verbs[0])).toEqual(verbs);
}

test('rules come in the order of the names of the parts, each once', () =>
  check([{ matchLabels: { to: 'whole' } }], ['get', 'list']));

test('a selector adds to those before', () =>
  check([{ matchLabels: { to: 'other' } }, { matchLabels: { to: 'whole' } }], ['delete', 'get', 'list']));

test('nothing is picked by what nobody has', () => check([{ matchLabels: { to: 'nobody' } }], []));

test('no rule is looked at more than a few times, however many there are', async () => {
  let looks = 0;
  const rules = Array.from({ length: 1_000 }, (_, index) => ({
    ...rule('get'),
    get resourceNames() {
      looks++;
      return [`n${index}`];
    },
  }));
  const large = { ...part('large', { to: 'whole' }), rules };
  const aggregate = { ...parts[3]!, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'whole' } }] } };
  expect(await aggregatedRules(aggregate, [large], new Turns(realClock))).toHaveLength(1_000);
  expect(looks).toBeLessThan(5_000);
});

test('a role concerns those that pick it, and no others', () => {
  const aggregate = { ...parts[3]!, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'whole' } }] } };
  expect(parts.filter((each) => isPartOf(each, aggregate)).map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
});
