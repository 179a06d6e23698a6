import { expect, test } from 'vitest';

interface Limits {
  limitsOf(name: string): { readonly name: string; readonly text: string; readonly value: string }[];
  numberOf(expression: string): number;
}
interface Errors {
  failuresOf(text: string): { readonly code: string; readonly text: string; readonly message: string }[];
}
interface Metrics {
  metricsOf(text: string): object[];
}
interface Refused {
  readonly REFUSED: ReadonlyMap<string, { isHarmless?(value: string): boolean }>;
}

/** Scripts have no types. */
async function load<T>(name: string): Promise<T> {
  return (await import(new URL(`../scripts/reference/${name}.mjs`, import.meta.url).href)) as T;
}

test('limits are the constants of the sources, with their comments', async () => {
  const { limitsOf, numberOf } = await load<Limits>('limits');
  expect(['4 * 1024 * 1024', '2 ** 31 - 1', '1_500', '2 ** 10 * 3 + 1', '0.5'].map(numberOf)).toEqual([
    4_194_304, 2_147_483_647, 1500, 3073, 0.5,
  ]);
  const found = limitsOf('apiserver');
  expect(found.find(({ name }) => name === 'MAX_BODY_BYTES')?.value).toBe('3 MiB');
  expect(found.find(({ name }) => name === 'DEFAULT_LIMITS.maxUrlBytes')?.value).toBe('8 KiB');
  const all = ['apiserver', 'store', 'machinery', 'http2'].flatMap(limitsOf);
  for (const { name, text } of all) expect(text, name).not.toBe('');
});

test('a flag asks for as many streams as a connection has, or more', async () => {
  const source = async (path: string): Promise<unknown> =>
    await import(new URL(`../packages/${path}`, import.meta.url).href);
  const { REFUSED } = (await source('cli/src/apiserver/unsupported-flags.ts')) as Refused;
  const { MAX_STREAMS } = (await source('apiserver/src/http/http2/server-connection.ts')) as { MAX_STREAMS: number };
  const flag = REFUSED.get('http2-max-streams-per-connection');
  expect([MAX_STREAMS - 1, MAX_STREAMS].map((count) => flag?.isHarmless?.(String(count)))).toEqual([false, true]);
});

test('error codes have the messages of their case', async () => {
  const { failuresOf } = await load<Errors>('errors');
  const source = [
    'export type Failure =',
    '  /** Nothing was written. */',
    "  | { readonly code: 'Full' }",
    "  | { readonly code: 'Locked'; readonly by?: string };",
    '/** Thrown when it is so. */',
    'function describe(failure) {',
    "    case 'Full': {",
    '      return text;',
    '    }',
    "    case 'Locked':",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code
    '      return `Cannot open${failure.by ? ` it: ${failure.by}` : ""}: in use`;',
  ].join('\n');
  expect(failuresOf(source)).toEqual([
    { code: 'Full', text: 'Nothing was written.', message: '' },
    { code: 'Locked', text: '', message: 'Cannot open…: in use' },
  ]);
});

test('metrics are those of a scrape', async () => {
  const { metricsOf } = await load<Metrics>('metrics');
  const text = [
    '# HELP wait_seconds How long requests waited.',
    '# TYPE wait_seconds histogram',
    'wait_seconds_bucket{level="a, \\"b\\"",le="1"} 2',
    '# HELP requests_total Requests.',
    '# TYPE requests_total counter',
    'requests_total{verb="GET",code="200"} 3',
  ].join('\n');
  expect(metricsOf(text)).toEqual([
    { name: 'requests_total', type: 'counter', labels: ['verb', 'code'], help: 'Requests.' },
    { name: 'wait_seconds', type: 'histogram', labels: ['level'], help: 'How long requests waited.' },
  ]);
});
