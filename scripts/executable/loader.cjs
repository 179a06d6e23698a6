// Loads the modules of the executable, which are CommonJS, from its assets, each with code that V8 compiled before. The executable
// runs this file; record.cjs runs it on files, to write that code.
const { isBuiltin } = require('node:module');
const { join } = require('node:path');
const vm = require('node:vm');

/** Where modules seem to lie, in stack traces. There is no such folder. */
const FOLDER = '/pintle';

/**
 * Returns a function that loads a module by its name. `read` returns the text of a module, or `undefined` if there is none, and
 * `readCode` its compiled code. `scripts` has what was loaded.
 */
function createLoader({ read, readCode }) {
  const modules = new Map();
  const scripts = new Map();
  function load(name) {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const text = read(name);
    if (text === undefined) throw notFound(name);
    const filename = join(FOLDER, name);
    const script = new vm.Script(text, { filename, cachedData: readCode(name) });
    scripts.set(name, script);
    const module = { exports: {} };
    modules.set(name, module);
    script.runInThisContext()(module.exports, requireModule, module, filename, FOLDER);
    return module.exports;
  }
  function requireModule(specifier) {
    if (isBuiltin(specifier)) return require(specifier);
    if (specifier.startsWith('./')) return load(specifier.slice('./'.length));
    throw notFound(specifier);
  }
  return { load, scripts };
}

/** The code tells packages that something optional is missing. */
function notFound(name) {
  const error = new Error(`Cannot load ${name}: the executable does not have it`);
  return Object.assign(error, { code: 'MODULE_NOT_FOUND' });
}

function runExecutable(sea) {
  const assetOf = (name) => {
    try {
      return sea.getRawAsset(name);
    } catch {
      return undefined;
    }
  };
  const { load } = createLoader({
    read: (name) => (assetOf(name) === undefined ? undefined : sea.getAsset(name, 'utf8')),
    readCode: (name) => {
      const code = assetOf(`${name}.code`);
      return code && new Uint8Array(code);
    },
  });
  return load('main.js').main(process.argv.slice(2), JSON.parse(sea.getAsset('help.json', 'utf8')));
}

const sea = require('node:sea');
if (sea.isSea()) void runExecutable(sea);
else module.exports = { createLoader };
