// Becomes the operator of a project, whose main module is the one argument, when its parent says so.
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { realClock } from '@pintle/async';
import { errorText } from '@pintle/machinery/errors';
import type { StartMessage } from './operator-process.ts';

/** What nearly every operator is made of: none of it does anything by being loaded. */
const COMMON = ['@pintle/operator', '@pintle/client', '@pintle/kinds/core/v1', 'zod'];
/** An operator whose parent is gone has so long to stop. */
const LAST_MS = 10_000;

const main = process.argv[2]!;
process.argv.splice(1, 2, main);
/** Of the project, not of this package. */
const require = createRequire(main);

// Whoever reads what is written may be gone; what is still to do is done all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.once('disconnect', leave);
process.once('message', (message: StartMessage) => void become(message));
for (const name of COMMON) await load(name);

async function become({ definedApart }: StartMessage): Promise<void> {
  process.off('disconnect', leave);
  process.once('disconnect', stop);
  // It ends when it has nothing left to do, with its parent listening or not.
  process.channel?.unref();
  try {
    if (definedApart.length > 0) await installApart(definedApart);
    await import(pathToFileURL(main).href);
  } catch (error) {
    const words = isSpeaking(error) ? `${errorText(error)}${placeOf(error)}` : inspect(error);
    process.stderr.write(`Operator failed: ${words}\n`);
    process.exit(1);
  }
}

/** Nobody waits for the code that it would have run. */
function leave(): void {
  process.exit();
}

/** As if its parent had asked it to: it gives back its lease, and what it told the server of its webhooks. */
function stop(): void {
  realClock.setTimer(LAST_MS, () => process.exit(1));
  process.kill(process.pid, 'SIGTERM');
}

/** Errors that say all there is to say: where they were thrown helps nobody. */
function isSpeaking(error: unknown): error is Error {
  return error instanceof Error && SPEAKING.has(error.name);
}

const SPEAKING: ReadonlySet<string> = new Set(['OperatorError', 'ResourceError', 'ClientError', 'StatusError']);

/** Returns the line of the project that defines a resource as it cannot be, below the words; of other errors nothing. */
function placeOf({ name, stack = '' }: Error): string {
  if (name !== 'ResourceError') return '';
  const project = dirname(dirname(main));
  const folders = [`${project}${sep}src${sep}`, `${pathToFileURL(project).href}/src/`];
  const place = stack
    .split('\n')
    .find((line) => /^\s+at /.test(line) && folders.some((folder) => line.includes(folder)));
  return place === undefined ? '' : `\n    ${place.trim()}`;
}

/** Resources that no controller looks after: no manager knows of them. */
async function installApart(modules: StartMessage['definedApart']): Promise<void> {
  const { installResources, readDescriptions } = await loaded<typeof import('@pintle/operator')>(
    require.resolve('@pintle/operator'),
  );
  const { connect } = await loaded<typeof import('@pintle/client')>(require.resolve('@pintle/client'));
  const found = await Promise.all(
    modules.map(async ({ path, kind }) => (await loaded<Record<string, unknown>>(path))[kind] as Installed | undefined),
  );
  const descriptions = await readDescriptions(process.env.PINTLE_DESCRIPTIONS);
  await using client = await connect();
  await installResources(client, found.filter((each) => each?.definition !== undefined) as Installed[], {
    fieldManager: 'pintle-dev',
    ...(descriptions && { descriptions }),
  });
}

type Installed = Parameters<typeof import('@pintle/operator').installResources>[1][number];

async function loaded<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(path).href)) as T;
}

async function load(name: string): Promise<void> {
  try {
    await import(pathToFileURL(require.resolve(name)).href);
  } catch {
    // Then the project does without.
  }
}
