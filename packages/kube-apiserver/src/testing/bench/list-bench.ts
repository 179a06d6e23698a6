import { compare, describeShare } from './compare.ts';
import { connectAll, runLoad } from './load/load.ts';
import { CONFIG_MAPS } from './objects.ts';
import { Stage } from './stage.ts';

/** Measures lists of 500, as clients page, and one of 10,000. */
export async function bench(print: (line: string) => void): Promise<void> {
  await benchPages(print);
  await benchWhole(print);
}

async function benchPages(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open();
  await stage.fill(500);
  await stage.copyToBare(await stage.ask('GET', CONFIG_MAPS));
  for (const protocol of ['http/1.1', 'h2'] as const) {
    const found = await compare(stage, { protocol, inFlight: 8, next: () => ({ method: 'GET', path: CONFIG_MAPS }) });
    print(describeShare(`LIST of 500 × 1.2 KB, ${protocol}`, found));
  }
}

const WHOLE = 10_000;

async function benchWhole(print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open({ durable: true });
  await stage.fill(WHOLE);
  const connections = await connectAll(stage.target, 'h2', 1);
  const list = () => runLoad(connections, 1, () => ({ method: 'GET', path: CONFIG_MAPS }));
  for (let warm = 0; warm < 3; warm++) await list();
  let stallMs = Number.POSITIVE_INFINITY;
  let extra = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const before = await stage.usage();
    const { bytes } = await list();
    const after = await stage.usage();
    stallMs = Math.min(stallMs, after.busyStallMs);
    extra = Math.min(extra, (after.peakUsedBytes - before.usedBytes) / bytes);
  }
  for (const connection of connections) connection.close();
  print(
    `${`LIST of ${WHOLE} × 1.2 KB`.padEnd(44)} the loop stands still for ${stallMs.toFixed(0)} ms at most; ` +
      `extra memory ${extra.toFixed(2)} × the answer`,
  );
}
