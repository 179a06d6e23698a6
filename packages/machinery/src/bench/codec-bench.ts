import { deepCopy, deepEqual } from '../json/deep.ts';
import { trustedLimits } from '../json/limits.ts';
import { parseJson, parseJsonStrict } from '../json/parse.ts';
import { canonicalJson, stringifyJson } from '../json/stringify.ts';
import type { JsonValue } from '../json/value.ts';
import { parseYaml } from '../yaml/parse.ts';
import { stringifyYaml } from '../yaml/stringify.ts';

/** Prints how fast values are read, written, copied and compared, as shares of the native functions in the same run. */
export async function bench(print: (line: string) => void): Promise<void> {
  for (const [name, value] of documents) measureJson(name, value, print);
  measureYaml(print);
}

const documents: readonly (readonly [string, JsonValue])[] = [
  ['object', pod(10)],
  ['pod', pod(215)],
  ['list', { kind: 'PodList', items: Array.from({ length: 2_500 }, () => pod(11)) }],
];

function pod(variables: number): JsonValue {
  const env = Array.from({ length: variables }, (_, index) => ({
    name: `SETTING_${index}`,
    value: `some-value-${index}.svc.cluster.local`,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-0',
      namespace: 'default',
      uid: '0f0e5d3c-8d33-4d0a-9a55-3d3a4d4f5a6b',
      resourceVersion: '123456',
      creationTimestamp: '2026-01-02T03:04:05Z',
      labels: { app: 'web', tier: 'front' },
      annotations: { 'example.com/note': 'with "quotes"\nand two lines' },
    },
    spec: {
      containers: [{ name: 'web', image: 'nginx:1.27', ports: [{ containerPort: 8080, protocol: 'TCP' }], env }],
      terminationGracePeriodSeconds: 30,
    },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  };
}

function measureJson(name: string, value: JsonValue, print: (line: string) => void): void {
  const text = JSON.stringify(value);
  const bytes = Buffer.from(text);
  const other = deepCopy(value);
  const rate = (work: () => unknown) => megabytesPerSecond(bytes.length, work);
  const report = (what: string, ours: number, base: number, of: string) =>
    print(
      `${`${name} ${size(bytes.length)}`.padEnd(16)}${what.padEnd(18)}${ours.toFixed(0).padStart(5)} MB/s  ${share(ours, base)} of ${of}`,
    );

  const parse = rate(() => JSON.parse(bytes.toString()));
  report(
    'parseJson',
    rate(() => parseJson(bytes, trustedLimits)),
    parse,
    'JSON.parse',
  );
  report(
    'parseJsonStrict',
    rate(() => parseJsonStrict(bytes, trustedLimits)),
    parse,
    'JSON.parse',
  );
  const withLong = Buffer.from(`[9007199254740993,${text}]`);
  report(
    'parseJson, int64',
    rate(() => parseJson(withLong, trustedLimits)),
    parse,
    'JSON.parse',
  );
  const stringify = rate(() => JSON.stringify(value));
  report(
    'stringifyJson',
    rate(() => stringifyJson(value)),
    stringify,
    'JSON.stringify',
  );
  const withBig = [9007199254740993n, value];
  report(
    'stringify, int64',
    rate(() => stringifyJson(withBig)),
    stringify,
    'JSON.stringify',
  );
  report(
    'canonicalJson',
    rate(() => canonicalJson(value)),
    stringify,
    'JSON.stringify',
  );
  const clone = rate(() => structuredClone(value));
  report(
    'deepCopy',
    rate(() => deepCopy(value)),
    clone,
    'structuredClone',
  );
  report(
    'deepEqual',
    rate(() => deepEqual(value, other)),
    clone,
    'structuredClone',
  );
}

function measureYaml(print: (line: string) => void): void {
  const [, value] = documents[1]!;
  const text = stringifyYaml(value);
  const parse = megabytesPerSecond(text.length, () => parseYaml(text));
  const stringify = megabytesPerSecond(text.length, () => stringifyYaml(value));
  print(`pod ${size(text.length)} of YAML  read ${parse.toFixed(1)} MB/s, written ${stringify.toFixed(0)} MB/s`);
}

const MEASURE_MS = 400;
const BATCH_BYTES = 300_000;

/** Takes the best of many short batches: the others measure the machine and the garbage collector. */
function megabytesPerSecond(bytes: number, work: () => unknown): number {
  const batch = Math.max(1, Math.round(BATCH_BYTES / bytes));
  const end = performance.now() + MEASURE_MS;
  let best = Infinity;
  while (performance.now() < end) {
    const start = performance.now();
    for (let run = 0; run < batch; run++) work();
    best = Math.min(best, (performance.now() - start) / batch);
  }
  return bytes / best / 1_000;
}

function share(ours: number, base: number): string {
  return `${((ours / base) * 100).toFixed(0).padStart(4)} %`;
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
