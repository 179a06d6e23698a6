import { longestComputation } from '@pintle/async/testing';
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../open-test-server.ts';
import { openTestServer, textOf } from '../open-test-server.ts';

const BYTES = 2_900_000;
/** A refusal with all it says, whatever was sent. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_COMPUTATION_MS = 2_000;

const MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
/** Go prints each as four characters. */
const text = '\x7f'.repeat(BYTES);

interface Attack {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body: object;
}

async function attack(server: TestServer, { method = 'POST', path, type = 'application/json', body }: Attack) {
  const bytes = Buffer.from(JSON.stringify(body));
  let answer = { status: 0, length: 0 };
  const computedMs = await longestComputation(async () => {
    const response = await server.send(method, path, { body: bytes, headers: { 'content-type': type } });
    answer = { status: response.status, length: (await textOf(response)).length };
  });
  return { ...answer, computedMs };
}

describe('A refusal of three megabytes in one text is short, and soon written:', () => {
  test.each<[string, Attack]>([
    ['a name', { path: MAPS, body: { metadata: { name: text } } }],
    ['a generateName', { path: MAPS, body: { metadata: { generateName: text } } }],
    ['a label', { path: MAPS, body: { metadata: { name: 'a', labels: { a: text } } } }],
    ['a key', { path: MAPS, body: { metadata: { name: 'a' }, data: { [text]: 'x' } } }],
    ['an apiVersion', { path: REVIEWS, body: { apiVersion: text, kind: 'SelfSubjectAccessReview', spec: {} } }],
    ['a kind', { path: REVIEWS, body: { apiVersion: 'authorization.k8s.io/v1', kind: text, spec: {} } }],
    ['a time', { path: REVIEWS, body: { metadata: { creationTimestamp: '\u0080'.repeat(BYTES / 2) }, spec: {} } }],
    ['a plain time', { path: REVIEWS, body: { metadata: { creationTimestamp: '1'.repeat(BYTES) }, spec: {} } }],
    ['an unknown field', { path: `${MAPS}?fieldValidation=Strict`, body: { metadata: { name: 'a' }, [text]: 1 } }],
  ])('%s', async (_what, request) => {
    await using server = await openTestServer();
    await attack(server, { path: MAPS, body: { metadata: { name: '_' } } });
    const { status, length, computedMs } = await attack(server, request);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(length).toBeLessThan(MAX_ANSWER_BYTES);
    expect(computedMs).toBeLessThan(MAX_COMPUTATION_MS);
  });

  test.each([
    ['path', { op: 'add', path: '/'.repeat(BYTES), value: 1 }],
    ['path of names', { op: 'add', path: '/a'.repeat(BYTES / 2), value: 1 }],
    ['from', { op: 'copy', from: '/'.repeat(BYTES), path: '/a' }],
  ])('a JSON patch whose %s has millions of segments', async (_what, operation) => {
    await using server = await openTestServer();
    await server.send('POST', MAPS, { body: { metadata: { name: 'a' } } });
    const path = `${MAPS}/a`;
    const type = 'application/json-patch+json';
    await attack(server, { method: 'PATCH', path, type, body: [{ op: 'remove', path: '/nothing' }] });
    const { status, length, computedMs } = await attack(server, { method: 'PATCH', path, type, body: [operation] });
    expect(status).toBe(422);
    expect(length).toBeLessThan(MAX_ANSWER_BYTES);
    expect(computedMs).toBeLessThan(MAX_COMPUTATION_MS);
  });
});
