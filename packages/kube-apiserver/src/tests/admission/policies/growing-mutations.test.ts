import { realClock } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import { bindPolicy, policyRule } from '../../../testing/admission-policy.ts';
import { define, until } from '../../../testing/define.ts';
import type { Answer } from '../../../testing/test-api.ts';
import { openTestApi } from '../../../testing/test-api.ts';
import { thing, thingDefinition, thingsAt } from '../../../testing/thing-definition.ts';

/** No busy machine exceeds this by accident; most of these took half a minute and more. */
const MAX_STALL_MS = 1_000;
const RESULT = 'the result is larger than 3145728 bytes';
const OBJECT = 'Request entity too large: limit is 3145728';

const put = (value: string): object => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression: `[JSONPatch{op: "add", path: "/data/y", value: ${value}}]` },
});
const copyTo = (name: string): object => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression: `[JSONPatch{op: "copy", from: "/data", path: "/data/${name}"}]` },
});
const tenTimes = (name: string, of: string): object => ({ name, expression: `lists.range(10).map(i, ${of})` });
const fourTimes = (name: string, of: string): object => ({ name, expression: `${of} + ${of} + ${of} + ${of}` });

const variables = [
  tenTimes('a', 'object.data'),
  tenTimes('b', 'variables.a'),
  tenTimes('c', 'variables.b'),
  tenTimes('d', 'variables.c'),
  fourTimes('p', 'object.data.text'),
  fourTimes('q', 'variables.p'),
  fourTimes('r', 'variables.q'),
];

test.each<[string, number, string, object[]]>([
  ['the object in many places', 403, RESULT, [put('lists.range(1000).map(i, object.data)')]],
  ['lists in lists', 403, RESULT, [put('lists.range(100).map(i, lists.range(100).map(j, object.data))')]],
  ['variables of variables', 403, RESULT, [put('variables.d')]],
  ['texts of texts', 403, 'actual cost limit exceeded', [put('variables.r')]],
  ['copies of copies', 413, OBJECT, Array.from({ length: 20 }, (_, i) => copyTo(`y${i}`))],
])(
  'a mutation that makes too much of an object is refused while it does: %s',
  async (_what, status, why, mutations) => {
    await using api = await openTestApi({ clock: realClock });
    await define(api, thingDefinition([{ name: 'v1' }]));
    await bindPolicy(api, 'Mutating', 'grows', { ...policyRule('example.com', 'things'), variables, mutations });
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 'x']));
    const data = { ...fields, text: 'x'.repeat(100_000) };
    let answer: Answer | undefined;
    const stallMs = await longestComputation(async () => {
      answer = await api.post(thingsAt('v1'), thing('v1', 'web', { data }));
    });
    expect([answer?.status, String(answer?.body.message)]).toEqual([status, expect.stringContaining(why)]);
    expect(stallMs).toBeLessThan(MAX_STALL_MS);
    await until(api, thingsAt('v1', '/web'), ({ status: found }) => found === 404);
  },
);
