import { Stage } from '../stage.ts';
import type { Axis } from './axes.ts';
import { AXES, furnish } from './axes.ts';
import { AT_HOME, COSTS, measureCosts } from './costs.ts';

/** Beyond this exponent, 1,000 times more of something doubles a cost. */
const GROWS_FROM = 0.1;

/**
 * Measures what requests cost while the server has more and more of what they do not ask for. The exponent says how: 0 is not at
 * all, 1 is in proportion. `PINTLE_BENCH_OBJECTS` adds a number of objects, such as 1000000.
 */
export async function bench(print: (line: string) => void): Promise<void> {
  for (const axis of AXES) await benchAxis(axis, print);
}

async function benchAxis(axis: Axis, print: (line: string) => void): Promise<void> {
  await using stage = await Stage.open({ durable: true });
  await furnish(stage, AT_HOME);
  const sizes = [...axis.sizes, ...moreObjects(axis)];
  const rows: number[][] = COSTS.map(() => []);
  const memory: number[] = [];
  await measureCosts(stage);
  let size = 0;
  for (const next of sizes) {
    await axis.grow(stage, size, next);
    size = next;
    const found = await measureCosts(stage);
    const { rssBytes } = await stage.usage();
    memory.push(rssBytes);
    for (const [i, cost] of found.entries()) rows[i]!.push(cost);
  }
  const startMs = Math.min(await stage.restart(), await stage.restart());
  print(`${axis.name.padEnd(24)} ${sizes.map((each) => each.toLocaleString('en').padStart(10)).join('')}   exponent`);
  for (const [i, name] of COSTS.entries()) print(describeRow(name, sizes, rows[i]!));
  print(`  memory ${describeMemory(sizes, memory)}; a start takes ${startMs.toFixed(0)} ms of processor time`);
}

/** Returns the memory at the largest size, and what each one more took since the smallest. */
function describeMemory(sizes: readonly number[], bytes: readonly number[]): string {
  const each = (bytes.at(-1)! - bytes[0]!) / (sizes.at(-1)! - sizes[0]!) / 1024;
  return `${(bytes.at(-1)! / 1e6).toFixed(0)} MB, ${each.toFixed(1)} KiB each`;
}

function moreObjects({ name }: Axis): number[] {
  const more = Number(process.env.PINTLE_BENCH_OBJECTS ?? 0);
  return name === 'objects' && more > 0 ? [more] : [];
}

function describeRow(name: string, sizes: readonly number[], costs: readonly number[]): string {
  const exponent = fittedExponent(sizes, costs);
  const shown = costs.map((cost) => `${cost.toFixed(0)} µs`.padStart(10)).join('');
  return `  ${name.padEnd(22)} ${shown}   ${exponent.toFixed(2)}${exponent > GROWS_FROM ? '  grows' : ''}`;
}

/** Returns the slope of the line through the logarithms, by least squares. */
function fittedExponent(sizes: readonly number[], costs: readonly number[]): number {
  const xs = sizes.map(Math.log);
  const ys = costs.map(Math.log);
  const [mx, my] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, i) => sum + (x - mx) * (ys[i]! - my), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - mx) ** 2, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
