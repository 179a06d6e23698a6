import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Holds this package and those it is installed with. */
const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url));
const FRAME = /^\s+at /;

/** Returns the lines of a stack that name places, but for those inside packages and inside Node.js. */
function ownFrames(stack: string): string[] {
  return stack.split('\n').filter((line) => FRAME.test(line) && isOwn(placeOf(line)));
}

/** Returns `src/site/dns.ts:15` for the first place in the person's own code. `undefined` where there is none. */
export function firstOwnPlace(stack: string): string | undefined {
  const [frame] = ownFrames(stack);
  if (frame === undefined) return undefined;
  const [, path = '', line = ''] = /^(.*?):(\d+)(?::\d+)?$/.exec(placeOf(frame)) ?? [];
  return `${relative(process.cwd(), path).split(sep).join('/')}:${line}`;
}

/** Returns `error`, whose stack begins with the place in the test that `here` was made for. */
export function thrownFrom(here: Error, error: Error): Error {
  const frames = ownFrames(here.stack ?? '');
  if (frames.length > 0) error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}

/** Returns the file, line and column of `    at name (file:///path:1:2)`. */
function placeOf(frame: string): string {
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

/** Tests beside the sources of these packages are somebody's own too. */
function isOwn(place: string): boolean {
  if (place.startsWith('node:') || place.includes(`${sep}node_modules${sep}`) || !place.includes(sep)) return false;
  return !place.startsWith(PACKAGES) || /\.test\.[a-z]+:/.test(place);
}
