import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { describe, expect, test } from 'vitest';
import { MAX_COMPARISONS, missingInSteps } from './rule-coverage.ts';

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const rule = (verbs: string[], resources: string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  apiGroups: [''],
  verbs,
  resources,
  ...more,
});

/** The missing rules as text, and how often the check paused. */
function compare(held: PolicyRule[], wanted: PolicyRule[]): { missing: unknown; pauses: number } {
  const steps = missingInSteps(held, wanted, MAX_COMPARISONS);
  let pauses = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return { missing: step.value, pauses };
    pauses++;
  }
}

describe('What is held is compared with what is wanted', () => {
  test.each<[string, PolicyRule, PolicyRule, boolean]>([
    ['a star', rule(['*'], ['*'], { apiGroups: ['*'] }), rule(['*'], ['*'], { apiGroups: ['*'] }), true],
    ['every resource', rule(['get'], ['*']), rule(['get'], ['pods/log']), true],
    ['one subresource of all', rule(['get'], ['*/log']), rule(['get'], ['pods/log']), true],
    ['another subresource', rule(['get'], ['*/log']), rule(['get'], ['pods/exec']), false],
    ['a star of verbs', rule(['get'], ['pods']), rule(['*'], ['pods']), false],
    ['one name', rule(['get'], ['pods']), rule(['get'], ['pods'], { resourceNames: ['a'] }), true],
    ['every name', rule(['get'], ['pods'], { resourceNames: ['a'] }), rule(['get'], ['pods']), false],
    ['a path', { verbs: ['get'], nonResourceURLs: ['/a*'] }, { verbs: ['get'], nonResourceURLs: ['/a/b'] }, true],
    [
      'a star of paths',
      { verbs: ['get'], nonResourceURLs: ['/a*'] },
      { verbs: ['get'], nonResourceURLs: ['*'] },
      false,
    ],
  ])('%s', (_what, held, wanted, isHeld) => {
    expect(compare([held], [wanted]).missing).toHaveLength(isHeld ? 0 : 1);
  });

  test('by the names that several rules allow together', () => {
    const held = ['a', 'b'].map((name) => rule(['get'], ['pods'], { resourceNames: [name] }));
    expect(compare(held, [rule(['get'], ['pods'], { resourceNames: ['a', 'b', 'c'] })]).missing).toEqual([
      rule(['get'], ['pods'], { resourceNames: ['c'] }),
    ]);
  });

  test('in pieces, where there is much of both', () => {
    const held = many('n', 2_000).map((name) => rule(['get'], ['pods'], { resourceNames: [name] }));
    const { missing, pauses } = compare(held, [rule(['get'], ['pods'], { resourceNames: many('n', 99_000) })]);
    expect(missing).toHaveLength(97_000);
    expect(pauses).toBeGreaterThan(90);
  });

  test('only as far as the work is bounded', () => {
    const held = many('n', 2_000).map((name) => rule(['get'], ['pods'], { resourceNames: [name] }));
    expect(compare(held, [rule(many('v', 99_000), ['pods'])]).missing).toBeUndefined();
  });

  test('and ends at once where long lists stand for nothing', () => {
    const groups = many('g', 100_000);
    expect(compare([], [rule([], groups, { apiGroups: groups }), rule(groups, [], { apiGroups: groups })])).toEqual({
      missing: [],
      pauses: 0,
    });
  });
});
