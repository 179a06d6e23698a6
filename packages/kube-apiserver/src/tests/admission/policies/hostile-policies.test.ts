import type { AuditEvent } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import type { Store } from '@pintle/store';
import { expect, test, vi } from 'vitest';
import { bindPolicy } from '../../../testing/admission-policy.ts';
import { openTestApi } from '../../../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data = {}, metadata = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
/** Others wait for no longer than so, on a machine that has other work. */
const MAX_STALL_MS = 500;
const OUT_OF_BUDGET = 'running out of cost budget';

/** Costs a good half of what one expression may. */
const heavy = "object.data.x.split('').all(a, object.data.x.split('').all(b, a == b))";
const data = { x: 'x'.repeat(330) };
const variablesOf = (count: number, expressionOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({ name: `v${index}`, expression: expressionOf(index) }));
const wide = variablesOf(100, () => heavy);
const chain = variablesOf(100, (index) => (index === 0 ? heavy : `${heavy} && variables.v${index - 1}`));
const all = (variables: readonly { readonly name: string }[]) =>
  variables.map(({ name }) => `variables.${name}`).join(' && ');
const mutation = (condition: string) => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression: `${condition} ? Object{} : Object{metadata: Object.metadata{labels: {'a': 'b'}}}` },
});

test.each<[string, 'Validating' | 'Mutating', object]>([
  ['many variables', 'Validating', { variables: wide, validations: [{ expression: all(wide) }] }],
  ['variables within variables', 'Validating', { variables: chain, validations: [{ expression: 'variables.v99' }] }],
  ['many variables of a mutation', 'Mutating', { variables: wide, mutations: [mutation(all(wide))] }],
  ['a chain of a mutation', 'Mutating', { variables: chain, mutations: [mutation('variables.v99')] }],
])(
  'an expression that spends the budget on %s does not hold others up',
  async (_what, type, spec) => {
    await using api = await openTestApi({ clock: realClock });
    await bindPolicy(api, type, 'p', spec);
    let message: unknown;
    const stallMs = await longestComputation(async () => {
      message = (await api.post(MAPS, map('a', data))).body.message;
    });
    expect(message).toContain(OUT_OF_BUDGET);
    expect(stallMs).toBeLessThan(MAX_STALL_MS);
  },
  60_000,
);

test('what variables cost within the budget is evaluated in turns, each once, and gives the same', async () => {
  await using api = await openTestApi({ clock: realClock });
  const variables = variablesOf(8, (index) => (index === 0 ? heavy : `${heavy} && variables.v${index - 1}`));
  const validations = [{ expression: `variables.v7 && ${heavy} && variables.v3` }, { expression: '!variables.v7' }];
  await bindPolicy(api, 'Validating', 'p', { variables, validations });
  const { body } = await api.post(MAPS, map('a', data));
  expect(body.message).toContain('denied request: failed expression: !variables.v7');
});

test('a policy of thousands of variables is compiled and evaluated without holding others up', async () => {
  await using api = await openTestApi({ clock: realClock });
  const variables = variablesOf(3_000, (index) => (index === 0 ? 'object.data.x' : `variables.v${index - 1}`));
  const spec = { variables, validations: [{ expression: "variables.v2999 == 'good'" }] };
  const stallMs = await longestComputation(async () => {
    await bindPolicy(api, 'Validating', 'p', spec);
    expect((await api.post(MAPS, map('a', { x: 'good' }))).status).toBe(201);
    expect((await api.post(MAPS, map('b', { x: 'bad' }))).status).toBe(422);
  });
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
}, 60_000);

test.each<['Validating' | 'Mutating', object]>([
  ['Validating', { validations: [{ expression: `${heavy} && params.data.name != ''` }] }],
  ['Mutating', { mutations: [mutation(`(${heavy} && params.data.name != '')`)] }],
])(
  'a %s policy with many parameters, each of which takes little time, does not hold others up',
  async (type, spec) => {
    await using api = await openTestApi({ clock: realClock });
    const labels = { limit: 'yes' };
    for (let i = 0; i < 300; i++) await api.post(MAPS, map(`p${i}`, { name: `p${i}` }, { labels }));
    const paramRef = { selector: { matchLabels: labels }, parameterNotFoundAction: 'Deny' };
    await bindPolicy(api, type, 'p', { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, ...spec }, { paramRef });
    const stallMs = await longestComputation(async () => {
      expect((await api.post(MAPS, map('a', { x: 'x'.repeat(120) }))).status).toBe(201);
    });
    expect(stallMs).toBeLessThan(MAX_STALL_MS);
  },
  60_000,
);

test('parameters are read a page at a time, and leave no more in the audit than its bound', async () => {
  const events: AuditEvent[] = [];
  const audit = { sink: { write: (event: AuditEvent) => void events.push(event), close: async () => {} } };
  await using api = await openTestApi({ audit: audit as never });
  const labels = { limit: 'yes' };
  for (let i = 0; i < 120; i++)
    await api.post(MAPS, map(`p${i}`, { name: `p${i}`, filler: 'x'.repeat(2_000) }, { labels }));
  const spec = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: 'false', messageExpression: 'string(params.data.name) + string(object.data.long)' }],
    auditAnnotations: [{ key: 'k', valueExpression: 'string(params.data.name) + string(object.data.long)' }],
  };
  const paramRef = { selector: { matchLabels: labels }, parameterNotFoundAction: 'Deny' };
  await bindPolicy(api, 'Validating', 'p', spec, { paramRef, validationActions: ['Audit'] });
  const range = vi.spyOn(api.server.store, 'range');
  expect((await api.post(MAPS, map('a', { long: 'x'.repeat(5_000) }))).status).toBe(201);
  const pages = await Promise.all(range.mock.results.map(({ value }) => value as ReturnType<Store['range']>));
  expect(Math.max(...pages.map(({ records }) => records.length))).toBeLessThanOrEqual(40);
  const annotations = Object.values(events.at(-1)!.annotations ?? {}).join('');
  expect(annotations).toContain('p0xxx');
  expect(annotations.length).toBeLessThan(400_000);
});
