import { deepCopy, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { applyStrategicPatch, createStrategicPatch } from '@pintle/machinery/patch';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemaOf } from './index.ts';

const schema = schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' });

const word = fc.constantFrom('a', 'b', 'c', 'd');
const labels = fc.dictionary(word, word, { maxKeys: 3 });
const port = fc.constantFrom(80, 81, 443);

/** An object with some of the fields. */
const some = (fields: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;

/** A list of objects told apart by `key`, in any order. */
const listBy = (key: string, keys: fc.Arbitrary<JsonValue>, fields: Record<string, fc.Arbitrary<JsonValue>>) =>
  fc.uniqueArray(
    fc.tuple(keys, some(fields)).map(([value, rest]): JsonObject => ({ [key]: value, ...rest })),
    { maxLength: 3, selector: (item) => item[key] },
  ) as fc.Arbitrary<JsonValue>;

const source = fc.constantFrom<JsonObject>(
  { emptyDir: {} },
  { emptyDir: { medium: 'Memory' } },
  { configMap: { name: 'a', items: [{ key: 'k', path: 'p' }] } },
  { secret: { secretName: 's' } },
);
const volumes = fc
  .uniqueArray(fc.tuple(word, source), { maxLength: 3, selector: ([name]) => name })
  .map((items): JsonValue => items.map(([name, from]) => ({ name, ...from })));

const containers = listBy('name', word, {
  image: word,
  args: fc.array(word, { maxLength: 2 }),
  env: listBy('name', word, { value: word }),
  ports: listBy('containerPort', port, { name: word, protocol: fc.constantFrom('TCP', 'UDP') }),
  volumeMounts: listBy('mountPath', word, { name: word }),
  resources: some({ limits: labels, requests: labels }),
  readinessProbe: some({ periodSeconds: port, httpGet: some({ path: word, port }) }),
});

const podSpec = some({
  containers,
  initContainers: containers,
  volumes,
  nodeSelector: labels,
  imagePullSecrets: listBy('name', word, {}),
  hostAliases: listBy('ip', word, { hostnames: fc.array(word, { maxLength: 2 }) }),
  tolerations: fc.array(some({ key: word, operator: word }), { maxLength: 2 }),
});

const strategy = fc.constantFrom<JsonObject>(
  { type: 'Recreate' },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
);

const deployment = some({
  metadata: some({ labels, annotations: labels, finalizers: fc.uniqueArray(word, { maxLength: 3 }) }),
  spec: some({
    replicas: port,
    paused: fc.boolean(),
    strategy,
    template: some({ metadata: some({ labels }), spec: podSpec }),
  }),
});

test('the strategic difference of two deployments makes one of the other', () => {
  fc.assert(
    fc.property(deployment, deployment, (original, modified) => {
      const given = deepCopy([original, modified]);
      const patch = createStrategicPatch(original, modified, schema);
      expect(applyStrategicPatch(original, patch, schema)).toEqual(modified);
      expect([original, modified]).toEqual(given);
    }),
    { numRuns: 300 },
  );
});

test('it says no more than it must', () => {
  const of = (...items: JsonValue[]): JsonObject => ({ spec: { template: { spec: { containers: items } } } });
  const patch = createStrategicPatch(
    of({ name: 'a', image: '1' }, { name: 'b' }),
    of({ name: 'a', image: '2' }),
    schema,
  );
  const order = { '$setElementOrder/containers': [{ name: 'a' }] };
  const containers = [
    { name: 'a', image: '2' },
    { name: 'b', $patch: 'delete' },
  ];
  expect(patch).toEqual({ spec: { template: { spec: { ...order, containers } } } });
});
