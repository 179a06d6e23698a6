// Bundles the pintle command into a few files, which Node.js loads faster than hundreds: one with all commands and flags,
// one with the modules that `pintle up` needs to be ready, and others for modules that load later. Packages from npm are
// not bundled. The texts of `--help` are written beside the bundle, so that help loads none of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const dist = join(import.meta.dirname, '..', 'packages', 'cli', 'dist');

export async function bundleCommand() {
  const { plugin, groups } = startGroups();
  const bundle = await rolldown({
    input: join(dist, 'run.js'),
    platform: 'node',
    // The console finds the files of its page from where it lies itself.
    external: (id) => id.startsWith('@pintle/console') || !/^(?:[./]|@pintle\/|[A-Z]:)/i.test(id),
    plugins: [plugin],
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({ dir: join(dist, 'bundle'), cleanDir: true, format: 'esm', codeSplitting: { groups } });
  await bundle.close();
  await writeHelp();
}

/** Returns groups of modules that load together, and the plugin that finds them. */
export function startGroups() {
  const imports = new Map();
  const among = (...entries) => {
    let found;
    return (id) => {
      found ??= loadedWith(imports, entries);
      return found.has(id);
    };
  };
  const isOfProgram = among(join(dist, 'program.js'));
  const isOfStart = among(
    join(dist, 'up', 'up.js'),
    join(dist, '..', '..', 'store', 'dist', 'engine', 'journaled-engine.js'),
  );
  return {
    plugin: { name: 'imports', moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) },
    groups: [
      { name: 'program', test: isOfProgram, priority: 1 },
      { name: 'start', test: isOfStart },
    ],
  };
}

async function writeHelp() {
  const load = (path) => import(pathToFileURL(join(dist, path)));
  const [{ createProgram }, { helpTexts }] = await Promise.all([load('program.js'), load('help/help-texts.js')]);
  writeFileSync(join(dist, 'bundle', 'help.json'), JSON.stringify(helpTexts(createProgram())));
}

/** Returns these modules and all that they import statically. */
function loadedWith(imports, entries) {
  const found = new Set(entries);
  for (const id of found) for (const next of imports.get(id) ?? []) found.add(next);
  return found;
}
