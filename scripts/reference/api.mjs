// Writes a page for every entry point of the packages, by TypeDoc, with what is `@experimental` marked and `@internal` left out.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, TOOLS } from '../ensure-tools.mjs';

const root = join(import.meta.dirname, '..', '..');
/** Programs; and the built-in kinds, which are documented by Kubernetes and have hundreds of types. */
const LEFT_OUT = new Set(['cli', 'console', 'create-pintle', 'kinds']);

export function writeApi(folder) {
  const config = join(TOOLS, 'typedoc.json');
  const tsconfig = join(TOOLS, 'tsconfig.typedoc.json');
  writeFileSync(
    tsconfig,
    JSON.stringify({
      extends: '../tsconfig.base.json',
      compilerOptions: {
        noEmit: true,
        composite: false,
        customConditions: ['pintle:source'],
        types: [],
        typeRoots: [join(root, 'node_modules', '@types')],
      },
      files: entryPoints(),
    }),
  );
  writeFileSync(
    config,
    JSON.stringify({
      entryPoints: entryPoints(),
      tsconfig,
      basePath: root,
      out: folder,
      plugin: ['typedoc-plugin-markdown'],
      router: 'module',
      name: 'API of the packages',
      readme: 'none',
      excludeInternal: true,
      excludePrivate: true,
      excludeExternals: true,
      disableSources: true,
      hidePageHeader: true,
      hideBreadcrumbs: true,
      entryFileName: 'index',
      skipErrorChecking: true,
      githubPages: false,
      logLevel: 'Error',
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      typeAliasPropertiesFormat: 'table',
      enumMembersFormat: 'table',
      blockTagsPreserveOrder: ['@experimental'],
    }),
  );
  run(process.execPath, [join(TOOLS, 'node_modules', 'typedoc', 'bin', 'typedoc'), '--options', config], TOOLS);
}

function entryPoints() {
  return readdirSync(join(root, 'packages'))
    .filter((name) => !LEFT_OUT.has(name) && existsSync(join(root, 'packages', name, 'package.json')))
    .flatMap((name) => {
      const folder = join(root, 'packages', name);
      const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return Object.entries(exports)
        .filter(([path, target]) => path !== './testing' && !path.includes('*') && typeof target === 'object')
        .map(([, target]) => join(folder, target['pintle:source']));
    });
}
