import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT_FILE } from '@pintle/generate';

/** Returns the nearest folder with a project, from the current one upwards. Without a project: the current folder. */
export function projectDirectory(): string {
  const current = process.cwd();
  for (let folder = current; ; folder = dirname(folder)) {
    if (existsSync(join(folder, PROJECT_FILE))) return folder;
    if (folder === dirname(folder)) return current;
  }
}
