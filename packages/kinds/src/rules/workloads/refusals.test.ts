import { readFileSync } from 'node:fs';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { compileTyped } from '@pintle/machinery/schema';
import { expect, test } from 'vitest';
import { schemaOf } from '../../schemas/index.ts';
import { loadAll } from '../testing/load-all.ts';
import { workloadRules as loaders } from './index.ts';

const workloadRules = await loadAll(loaders);

interface Refusal {
  readonly case: string;
  readonly body: JsonObject & { readonly apiVersion: string; readonly kind: string };
  readonly causes: readonly FieldError[];
}

/** What kube-apiserver 1.36 answered to objects that it did not take. */
const refusals = JSON.parse(readFileSync(new URL('testdata/refused.json', import.meta.url), 'utf8')) as Refusal[];

/**
 * Causes that come from elsewhere: the server checks names itself, admission names the service account, and a list
 * that is empty has been dropped before the rules see it.
 */
const isOurs = ({ field, body }: FieldError) =>
  !(field === 'metadata.name' && body.includes('RFC 1123')) &&
  !body.includes('serviceAccountName is not set') &&
  !body.includes('must specify at least one Policy');

test.each(refusals)('$case', ({ body, causes }) => {
  expect(judge(body).filter(isOurs)).toEqual(causes.filter(isOurs));
});

function judge(body: Refusal['body']): readonly FieldError[] {
  const [version = '', group = ''] = body.apiVersion.split('/').reverse();
  const rules = workloadRules[group]![body.kind]!;
  const object = compileTyped(schemaOf({ group, version, kind: body.kind })!).read(body).value;
  const fresh = object as unknown as KubernetesObject;
  fresh.metadata.uid = '8f2c1a52-0000-4000-8000-000000000000';
  rules.default?.(fresh);
  rules.prepareForCreate?.(fresh);
  return rules.validate?.(fresh) ?? [];
}
