import { readFileSync } from 'node:fs';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import { describe, expect, test } from 'vitest';
import { loadRules } from './index.ts';
import { createObject, errorsIn, readObject } from './testing/read-object.ts';

/** A field, what is put there, and what is then wrong: `spec.replicas Invalid`. Null takes the field away. */
type Case = readonly [path: readonly (string | number)[], value: JsonValue, causes: readonly string[]];

interface Sample {
  readonly object: KubernetesObject;
  /** What Kubernetes 1.36 says to the object with one field changed. */
  readonly creates: readonly Case[];
  /** The same to a change of the object when it is there already. */
  readonly updates: readonly Case[];
}

const samples = JSON.parse(readFileSync(new URL('testdata/refusals.json', import.meta.url), 'utf8')) as Sample[];

describe.each(samples.map((sample, index) => ({ ...sample, title: `${sample.object.kind} #${index}` })))(
  '$title',
  ({ object, creates, updates }) => {
    test('is refused at creation for what Kubernetes refuses it for', async () => {
      const rules = await rulesFor(object);
      const found = creates.map(([path, value]) => {
        const body = withField(object, path, value);
        const created = createObject(rules, body);
        const first = rules.validateFirst?.(created, undefined) ?? [];
        return [path, value, causesOf(first.length > 0 ? first : rules.validate!(created))];
      });
      expect(found).toEqual(creates);
    });

    test('may not change what Kubernetes does not let change', async () => {
      const rules = await rulesFor(object);
      const found = updates.map(([path, value]) => {
        const previous = createObject(rules, object);
        const next = readObject<KubernetesObject>(withField(previous, path, value));
        rules.default?.(next);
        rules.prepareForUpdate?.(next, previous);
        const first = rules.validateFirst?.(next, previous) ?? [];
        return [
          path,
          value,
          causesOf(first.length > 0 ? first : errorsIn(rules.validateUpdate?.(next, previous) ?? [])),
        ];
      });
      expect(found).toEqual(updates);
    });
  },
);

function rulesFor({ apiVersion, kind }: KubernetesObject): Promise<ResourceRules> {
  const [, group = ''] = apiVersion.split('/').reverse();
  return loadRules({ group, kind }, { hasStatus: true });
}

function causesOf(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`).sort();
}

function withField(object: KubernetesObject, path: readonly (string | number)[], value: JsonValue): object {
  const copy = structuredClone(object);
  let at = copy as unknown as Record<string | number, never>;
  for (const step of path.slice(0, -1)) at = at[step]!;
  const last = path.at(-1)!;
  if (value !== null) Object.assign(at, { [last]: value });
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return copy;
}
