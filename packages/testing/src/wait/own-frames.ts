import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this package and those it is installed with. */
const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url));
const FRAME = /^\s+at /;

/** Returns the frames of a stack without those inside packages and inside Node.js. */
function ownFrames(stack: string): string[] {
  return stack.split('\n').filter((line) => FRAME.test(line) && isOwn(locationOf(line)));
}

/** Returns the first location in the user's code, as `src/site/dns.ts:15`; `undefined` without one. */
export function firstOwnLocation(stack: string): string | undefined {
  const [frame] = ownFrames(stack);
  if (frame === undefined) return undefined;
  const [, path = '', line = ''] = /^(.*?):(\d+)(?::\d+)?$/.exec(locationOf(frame)) ?? [];
  return `${relative(process.cwd(), path).split(sep).join('/')}:${line}`;
}

/** Returns `error` with the stack of `here`, an error that was created where the test called. */
export function thrownFrom(here: Error, error: Error): Error {
  const frames = ownFrames(here.stack ?? '');
  if (frames.length > 0) error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}

/** Returns the file, line and column of `    at name (file:///path:1:2)`. */
function locationOf(frame: string): string {
  const place = (frame.endsWith(')') ? frame.slice(frame.lastIndexOf('(') + 1, -1) : frame.trim().slice(3))
    .replace(/^async /, '')
    .replace(/\?[^:]*(?=:\d+:\d+$)/, '');
  return place.startsWith('file://') ? decoded(place) : place;
}

function decoded(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

/** True for the user's code; tests beside the sources of these packages count too. */
function isOwn(place: string): boolean {
  if (place.startsWith('node:') || place.includes(`${sep}node_modules${sep}`) || !place.includes(sep)) return false;
  return !place.startsWith(PACKAGES) || /\.test\.[a-z]+:/.test(place);
}
