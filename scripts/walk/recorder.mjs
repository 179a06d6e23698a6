// Preloaded into an instrumented process: records the files that are entered, in order, between `begin` and `end`.
import { register } from 'node:module';

register('./instrument.mjs', import.meta.url);

let entered;
let first;

globalThis.__walkEnter = (file) => {
  if (entered === undefined || (entered.size === 0 && !file.startsWith(first))) return;
  entered.add(file);
};

/** Records files, starting with the first whose path begins with `path`: earlier work may still be running. */
export function begin(path = '') {
  entered = new Set();
  first = path;
}

/** Returns the entered files, in the order of their first entry. */
export function end() {
  const files = [...(entered ?? [])];
  entered = undefined;
  return files;
}

process.on('message', ({ walk, from }) => {
  if (walk === 'begin') begin(from);
  if (walk === 'begin' || walk === 'end') process.send({ walk, files: walk === 'end' ? end() : [] });
});
process.channel?.unref();
