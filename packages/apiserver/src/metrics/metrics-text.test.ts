import { expect, test } from 'vitest';
import { metricsText, PIECE_CHARACTERS } from './metrics-text.ts';
import { Gauge, Registry } from './prometheus.ts';
import { Counts, Histograms } from './tally.ts';

test('metricsText writes all that is registered, an empty line between two', async () => {
  const registry = new Registry();
  new Counts({ name: 'c', help: 'C.', registry }).of({ verb: 'GET' }).value += 2;
  new Gauge({ name: 'g', help: 'G.', registers: [registry] }).set(1);
  new Counts({ name: 'none', help: 'N.', registry });
  expect(await whole(registry)).toBe(
    '# HELP c C.\n# TYPE c counter\nc{verb="GET"} 2\n\n# HELP g G.\n# TYPE g gauge\ng 1\n\n# HELP none N.\n# TYPE none counter\n',
  );
});

test('metricsText writes no more than a piece before others have a turn', async () => {
  const registry = new Registry();
  const durations = new Histograms({ name: 'h', help: 'H.', registry, bounds: [1, 2, 3] });
  for (let i = 0; i < 10_000; i++) durations.of({ resource: `r${i}`, verb: 'GET' }).observe(i);
  let turns = 0;
  const count = (): void => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const pieces: number[] = [];
  for await (const { length } of metricsText(registry)) pieces.push(length);
  clearImmediate(immediate);
  expect(pieces.length).toBeGreaterThan(10);
  expect(Math.max(...pieces)).toBeLessThan(PIECE_CHARACTERS + 1_000);
  expect(turns).toBeGreaterThanOrEqual(pieces.length - 1);
});

async function whole(registry: Parameters<typeof metricsText>[0]): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of metricsText(registry)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
