import { CONFIG_MAPS } from './objects.ts';
import { Stage } from './stage.ts';

const OBJECTS = 100_000;

/** Measures the memory of a server with many objects, after a list of all of them. */
export async function bench(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open({ durable: true });
  await stage.fill(OBJECTS);
  const filled = await stage.usage();
  await stage.ask('GET', `${CONFIG_MAPS}?limit=500`);
  await stage.ask('GET', CONFIG_MAPS);
  const listed = await stage.usage();
  const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  print(
    `${`${OBJECTS} ConfigMaps of 1.2 KB`.padEnd(44)} ${mb(filled.rssBytes)} resident, ${mb(listed.peakRssBytes)} while all ` +
      `are listed; of it JavaScript ${mb(listed.heapBytes)}`,
  );
}
