import { expect, test } from 'vitest';
import { counter, gauge, histogram } from './family.ts';
import { mergeTexts } from './merge.ts';
import { MetricsRegistry } from './registry.ts';

function registryOf(requests: Readonly<Record<string, number>>, seconds: readonly number[], open: number) {
  const registry = new MetricsRegistry();
  const total = registry.add(counter('requests_total', 'Requests.', ['path']));
  for (const [path, count] of Object.entries(requests)) total.cell(path).value = count;
  const durations = registry.add(histogram('seconds', 'Durations.', [], [1, 2]));
  for (const value of seconds) durations.cell().observe(value);
  registry.add(gauge('open', 'Open ones.', [])).cell().value = open;
  registry.add(gauge('oldest', 'Age of the oldest.', [])).cell().value = open;
  registry.add(gauge('build', 'The build.', [])).cell().value = 1;
  return registry;
}

async function textOf(registry: MetricsRegistry, others: readonly MetricsRegistry[] = []): Promise<string> {
  let text = '';
  for await (const piece of registry.text({
    others,
    combinationOf: (name) => (name === 'build' ? 'first' : name === 'oldest' ? 'largest' : 'sum'),
  }))
    text += Buffer.from(piece);
  return text;
}

test('the metrics of several processes are added up, whichever of them has a line', async () => {
  const others = [registryOf({ '/a b': 2, '/"} 7': 5 }, [1.5, 9], 3), registryOf({}, [], 0)];
  expect(await textOf(registryOf({ '/a b': 1 }, [0.5], 4), others)).toBe(
    await textOf(registryOf({ '/a b': 3, '/"} 7': 5 }, [0.5, 1.5, 9], 7)).then((text) =>
      text.replace('oldest 7', 'oldest 4'),
    ),
  );
});

test('values that are not finite stay what they are', () => {
  const text = (value: string) => `# HELP a A.\n# TYPE a gauge\na ${value}`;
  expect(mergeTexts([text('+Inf'), text('1')], () => 'sum')).toBe(text('+Inf'));
  expect(mergeTexts([text('NaN'), text('1')], () => 'sum')).toBe(text('NaN'));
  expect(mergeTexts([text('-Inf'), text('1')], () => 'largest')).toBe(text('1'));
});
