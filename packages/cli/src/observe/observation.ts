import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RoleUse } from '@pintle/generate';
import { describeUse, OBSERVED_FILE, writeObserved } from '@pintle/generate';

/** Records the API requests of managers in other processes, for the roles of the project. */
export class Observation {
  readonly #directory: string;
  readonly #folder: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#folder = join(directory, '.pintle', 'uses');
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Environment of the processes: with it, Node.js loads the recorder into them. */
  get environment(): Record<string, string> {
    const root = dirname(createRequire(import.meta.url).resolve('@pintle/cli/package.json'));
    const recorder = pathToFileURL(join(root, 'dist', 'observe', 'record-use.js'));
    recorder.searchParams.set('folder', this.#folder);
    return { NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${recorder.href}`].filter(Boolean).join(' ') };
  }

  /** Adds the recorded requests to the file of the project, and prints the new ones. */
  finish(options: { readonly isNew?: boolean } = {}): void {
    const files = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    const added = writeObserved(this.#directory, files.flatMap(usesIn), options);
    for (const file of files) rmSync(file);
    for (const use of added) process.stdout.write(`+ ${OBSERVED_FILE}: ${describeUse(use)}\n`);
  }
}

/** Skips the half line that a killed process may have left. */
function usesIn(file: string): RoleUse[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const { group, resource, verb } = JSON.parse(line) as RoleUse;
        return [{ group, resource, verb }];
      } catch {
        return [];
      }
    });
}
