// Puts the pintle command into a few files, which Node loads faster than hundreds: one with the words of
// all commands, one with all that `pintle up` needs to be ready, the others for what it loads later. Packages from npm
// stay where they are. What `--help` answers is written beside it, so that asking loads none of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const dist = join(import.meta.dirname, '..', 'packages', 'cli', 'dist');

export async function bundleCommand() {
  const imports = new Map();
  const bundle = await rolldown({
    input: join(dist, 'run.js'),
    platform: 'node',
    // The console finds the files of its page from where it lies itself.
    external: (id) => id.startsWith('@pintle/console') || !/^(?:[./]|@pintle\/|[A-Z]:)/i.test(id),
    plugins: [{ name: 'imports', moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) }],
    checks: { ineffectiveDynamicImport: false },
  });
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
  await bundle.write({
    dir: join(dist, 'bundle'),
    cleanDir: true,
    format: 'esm',
    codeSplitting: {
      groups: [
        { name: 'program', test: isOfProgram, priority: 1 },
        { name: 'start', test: isOfStart },
      ],
    },
  });
  await bundle.close();
  await writeHelp();
}

async function writeHelp() {
  const load = (path) => import(pathToFileURL(join(dist, path)));
  const [{ createProgram }, { helpTexts }] = await Promise.all([load('program.js'), load('help/help-texts.js')]);
  writeFileSync(join(dist, 'bundle', 'help.json'), JSON.stringify(helpTexts(createProgram())));
}

/** Everything that these modules import without import(), themselves included. */
function loadedWith(imports, entries) {
  const found = new Set(entries);
  for (const id of found) for (const next of imports.get(id) ?? []) found.add(next);
  return found;
}
