import { describe, expect, test } from 'vitest';
import { goForm } from './go-form.ts';
import { goStructs } from './go-structs.ts';
import { diffBudget, jsonDiff, unifiedDiff } from './unified-diff.ts';

describe('the form in which errors show a value', () => {
  test('has every field of the struct, set or not, in the order of its declaration', () => {
    expect(JSON.stringify(goForm({ rules: [{ succeededCount: 1 }] }, 'batch.SuccessPolicy'))).toBe(
      '{"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}',
    );
    expect(goForm(undefined, '*batch.SuccessPolicy')).toBeNull();
    expect(goForm({}, 'batch.SuccessPolicy')).toEqual({ Rules: null });
  });

  test('spreads embedded structs, and metadata under the names of the API', () => {
    const volume = goForm({ name: 'v', emptyDir: {} }, 'core.Volume') as Record<string, unknown>;
    expect(volume).toMatchObject({ Name: 'v', HostPath: null, EmptyDir: { Medium: '', SizeLimit: null } });
    const template = { metadata: { labels: { b: '1', a: '2' } }, spec: { devices: {} } };
    expect(JSON.stringify(goForm(template, 'resource.ResourceClaimTemplateSpec'))).toBe(
      '{"labels":{"a":"2","b":"1"},"Spec":{"Devices":{"Requests":null,"Constraints":null,"Config":null}}}',
    );
  });

  test("has a Pod's use of its host in the security context", () => {
    const spec = goForm({ containers: [], hostPID: true, securityContext: { runAsUser: 5 } }, 'core.PodSpec');
    expect(spec).toMatchObject({
      SecurityContext: { HostPID: true, HostNetwork: false, HostUsers: null, RunAsUser: 5 },
    });
  });

  test('knows every struct that it refers to', () => {
    const named = Object.values(goStructs).flatMap((fields) => fields.match(/\w+\.\w+/g) ?? []);
    expect(named.filter((name) => goStructs[name] === undefined)).toEqual([]);
  });
});

describe('a difference', () => {
  const diff = (before: string, after: string) =>
    unifiedDiff(before.split(' '), after.split(' ')).trimEnd().split('\n');

  test('comes with three lines around it', () => {
    expect(diff('1 2 3 4 5 6 7 8 9', '1 2 3 4 x 6 7 8 9')).toEqual([
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+x',
      ' 6',
      ' 7',
      ' 8',
    ]);
  });

  test('that is far from another is shown apart', () => {
    const found = diff('a 1 2 3 4 5 6 7 b', 'x 1 2 3 4 5 6 7 y');
    expect(found.filter((line) => line.startsWith('@@'))).toEqual(['@@ -1,4 +1,4 @@', '@@ -6,4 +6,4 @@']);
  });

  test('of equal values is empty', () => expect(jsonDiff({ a: [] }, { a: [] })).toBe(''));

  test('of values is one of their JSON, one space deep', () =>
    expect(jsonDiff({ A: null }, { A: ['<'] })).toBe(
      '@@ -1,3 +1,5 @@\n {\n- "A": null\n+ "A": [\n+  "\\u003c"\n+ ]\n }\n',
    ));

  test('that nobody would read is not looked for', () => {
    const many = (first: number) => Array.from({ length: 5_000 }, (_, index) => first + index);
    expect(jsonDiff(many(0), many(1))).toBe('');
  });
});

test('lists that are alike in every second line are not compared for long', () => {
  const lines = (other: string) =>
    Array.from({ length: 1_990 }, (_, index) => [`same ${index % 52}`, `${other} ${index}`]).flat();
  const computedMs = processTimer();
  expect(jsonDiff(lines('old'), lines('new'))).toBe('');
  expect(computedMs()).toBeLessThan(1_000);
});

test('a budget is shared by all diffs that are made of it', () => {
  const budget = diffBudget();
  expect(jsonDiff(['a', 'b'], ['a', 'c'], budget)).toContain('-');
  budget.comparisons = 1;
  expect([jsonDiff(['a', 'b'], ['a', 'c'], budget), jsonDiff(['a'], ['b'], budget)]).toEqual(['', '']);
});

/** Starts to measure, and gives a function that says for how many milliseconds the process has computed since. */
function processTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
