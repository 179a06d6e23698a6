// Becomes the operator of a project, whose main module is the one argument, when its parent says so.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What nearly every operator is made of: none of it does anything by being loaded. */
const COMMON = ['@pintle/operator', '@pintle/client', '@pintle/kinds/core/v1', 'zod'];

const main = process.argv[2]!;
process.argv.splice(1, 2, main);

process.once('disconnect', leave);
process.once('message', () => {
  process.off('disconnect', leave);
  // Not at once: Node may be about to hand on what came while nobody listened.
  setImmediate(() => process.disconnect());
  void import(pathToFileURL(main).href);
});

/** Of the project, not of this package. */
const require = createRequire(main);
for (const name of COMMON) await load(name);

function leave(): void {
  process.exit();
}

async function load(name: string): Promise<void> {
  try {
    await import(pathToFileURL(require.resolve(name)).href);
  } catch {
    // Then the project does without.
  }
}
