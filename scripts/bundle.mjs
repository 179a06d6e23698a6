// Puts the pintle command into a few files, which Node loads faster than hundreds: one with all that `pintle up` needs
// to be ready, the others for what it loads later. Packages from npm stay where they are.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const dist = join(import.meta.dirname, '..', 'packages', 'cli', 'dist');

export async function bundleCommand() {
  const imports = new Map();
  const bundle = await rolldown({
    input: join(dist, 'run.js'),
    platform: 'node',
    external: (id) => !/^(?:[./]|@pintle\/|[A-Z]:)/i.test(id),
    plugins: [{ name: 'imports', moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) }],
    checks: { ineffectiveDynamicImport: false },
  });
  let start;
  const isOfStart = (id) => {
    start ??= loadedWith(imports, [
      join(dist, 'program.js'),
      join(dist, 'up', 'up.js'),
      join(dist, '..', '..', 'store', 'dist', 'engine', 'journaled-engine.js'),
    ]);
    return start.has(id);
  };
  await bundle.write({
    dir: join(dist, 'bundle'),
    cleanDir: true,
    format: 'esm',
    codeSplitting: { groups: [{ name: 'start', test: isOfStart }] },
  });
  await bundle.close();
}

/** Everything that these modules import without import(), themselves included. */
function loadedWith(imports, entries) {
  const found = new Set(entries);
  for (const id of found) for (const next of imports.get(id) ?? []) found.add(next);
  return found;
}
