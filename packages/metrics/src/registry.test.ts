import { expect, test } from 'vitest';
import { counter, histogram } from './family.ts';
import { MetricsRegistry, PIECE_CHARACTERS } from './registry.ts';

test('MetricsRegistry writes all that was added, an empty line between two', async () => {
  const registry = new MetricsRegistry();
  registry.add(counter('c', 'C.', ['verb'])).cell('GET').value += 2;
  registry.add({ name: 'others', text: async () => ['# HELP g G.\n# TYPE g gauge\ng 1'] });
  registry.add(counter('none', 'N.', []));
  expect(await whole(registry)).toBe(
    '# HELP c C.\n# TYPE c counter\nc{verb="GET"} 2\n\n# HELP g G.\n# TYPE g gauge\ng 1\n\n# HELP none N.\n# TYPE none counter\n',
  );
});

test('MetricsRegistry has one metric of a name', () => {
  const registry = new MetricsRegistry();
  registry.add(counter('c', 'C.', []));
  expect(() => registry.add(counter('c', 'D.', []))).toThrow('Cannot add a metric: there is one with the name c');
});

test('MetricsRegistry writes no more than a piece before others have a turn', async () => {
  const registry = new MetricsRegistry();
  const durations = registry.add(histogram('h', 'H.', ['resource', 'verb'], [1, 2, 3]));
  for (let i = 0; i < 10_000; i++) durations.cell(`r${i}`, 'GET').observe(i);
  let turns = 0;
  const count = (): void => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const pieces: number[] = [];
  for await (const { length } of registry.text()) pieces.push(length);
  clearImmediate(immediate);
  expect(pieces.length).toBeGreaterThan(10);
  expect(Math.max(...pieces)).toBeLessThan(PIECE_CHARACTERS + 1_000);
  expect(turns).toBeGreaterThanOrEqual(pieces.length - 1);
});

async function whole(registry: MetricsRegistry): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of registry.text()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
