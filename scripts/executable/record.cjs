// Runs the command from the modules in a folder, as the executable does, until its server is ready. Then writes the code that V8
// has compiled beside each module: `node record.cjs FOLDER ARGUMENTS`.
const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const { join } = require('node:path');
const { createLoader } = require('./loader.cjs');

const [folder, ...args] = process.argv.slice(2);
const { load, scripts } = createLoader({
  read: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined),
  readCode: () => undefined,
});
process.argv.splice(1, 2, process.execPath);
process.once('message', () => {
  for (const [name, script] of scripts) writeFileSync(join(folder, `${name}.code`), script.createCachedData());
  process.disconnect();
  process.kill(process.pid, 'SIGTERM');
});
void load('main.js').main(args, { version: '', commands: {} });
