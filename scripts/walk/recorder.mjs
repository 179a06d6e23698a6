// Preloaded into a process whose functions are instrumented: records which files are entered, in order, when told to.
import { register } from 'node:module';

register('./instrument.mjs', import.meta.url);

let entered;
let first;

globalThis.__walkEnter = (file) => {
  if (entered === undefined || (entered.size === 0 && !file.startsWith(first))) return;
  entered.add(file);
};

/** From now on, files are recorded, once one is entered whose path begins so: before that, other work ends. */
export function begin(path = '') {
  entered = new Set();
  first = path;
}

/** The files entered since, in the order of their first entry. */
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
