import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** Returns true when one folder of recordings has all that another one has of an area, the same, and perhaps more. */
export function repeats(folder, other, area) {
  const [ours, theirs] = [folder, other].map((directory) => expectedIn(directory, area));
  if (ours === undefined || theirs === undefined) return theirs === undefined;
  return Object.keys(theirs).every((scenario) => isDeepStrictEqual(ours[scenario], theirs[scenario]));
}

function expectedIn(directory, area) {
  const file = join(directory, 'expected', `${area}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
