import { compare, describeShare } from './compare.ts';
import { CONFIG_MAPS, configMap } from './objects.ts';
import { Stage } from './stage.ts';

/** Measures GET of one object. */
export async function bench(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open();
  await stage.ask('POST', CONFIG_MAPS, configMap('one'));
  const path = `${CONFIG_MAPS}/one`;
  await stage.copyToBare(await stage.ask('GET', path));
  for (const protocol of ['http/1.1', 'h2'] as const) {
    const found = await compare(stage, { protocol, inFlight: 32, next: () => ({ method: 'GET', path }) });
    print(describeShare(`GET of 1.2 KB, ${protocol}`, found));
  }
}
