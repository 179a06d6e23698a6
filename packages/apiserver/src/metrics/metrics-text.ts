import { nextTurn } from '@pintle/async';
import type { Registry } from 'prom-client';
import { Family } from './tally.ts';

/** So much is written before others have a turn, which takes about a millisecond. */
export const PIECE_CHARACTERS = 128 * 1024;

/**
 * All that is in the registry, as Prometheus' text. Whoever asks for every resource in every way there is makes it 100 MB
 * long: it is sent as it is written, and never held whole.
 */
export async function* metricsText(registry: Registry): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const metric of registry.getMetricsAsArray() as readonly unknown[]) {
    for (const piece of await piecesOf(metric, registry)) {
      text += piece;
      if (text.length < PIECE_CHARACTERS) continue;
      yield Buffer.from(text);
      text = '';
      await nextTurn();
    }
    text += '\n\n';
  }
  // One line feed ends the text; two stand between metrics.
  yield Buffer.from(text.slice(0, -1));
}

async function piecesOf(metric: unknown, registry: Registry): Promise<Iterable<string>> {
  if (metric instanceof Family) return metric.text();
  return [await registry.getSingleMetricAsString((metric as { readonly name: string }).name)];
}
