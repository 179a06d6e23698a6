import type { Command } from 'commander';
import { Option } from 'commander';

const output = (): Option => new Option('-o, --output <form>', 'print text or JSON').choices(['text', 'json']);
const CHECK = ['--check', 'write nothing: fail when files are not what would be written'] as const;

/** Ways to generate beside manifests. Each loads what it needs when it is chosen. */
export function addGenerateCommands(generate: Command): void {
  generate
    .command('types')
    .summary('TypeScript from CustomResourceDefinitions')
    .description('TypeScript types, descriptors and Zod schemas from CustomResourceDefinitions')
    .option('--from <path...>', 'files, folders or file: URLs that hold definitions')
    .option('--url <url...>', 'https: or file: URLs of definitions')
    .option('--cluster', 'take the definitions of the cluster of the kubeconfig')
    .option('--context <name>', 'take those of this context’s cluster')
    .option('--kubeconfig <file>', 'take those of this file’s cluster')
    .option('--interfaces', 'plain interfaces with JSDoc tags, as `generate crds` reads them')
    .option('--out <dir>', 'where to write', 'src/types')
    .option(...CHECK)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle generate types --from crds/ --out src/types')
    .action(async (options) => {
      const { types } = await import('./generate.ts');
      await types(options);
    });
  generate
    .command('crds')
    .summary('CustomResourceDefinitions from TypeScript')
    .description('CustomResourceDefinitions from TypeScript interfaces with JSDoc tags')
    .option('--from <path...>', 'files, folders, or patterns with * and **', ['src'])
    .option('--out <dir>', 'where to write', 'config/crd/bases')
    .option(...CHECK)
    .addOption(output())
    .addHelpText('after', "\nExample:\n  pintle generate crds --from 'src/**/*.ts'")
    .action(async (options) => {
      const { crds } = await import('./generate.ts');
      await crds(options);
    });
  generate
    .command('bundle')
    .summary('a bundle for OLM')
    .description('a bundle for OLM, the Operator Lifecycle Manager')
    .option('--version <version>', 'of the operator; by default that of package.json')
    .option('--image <image>', 'what it runs; by default the project’s image, or NAME:VERSION')
    .option('--channels <names...>', 'of the catalogue; by default alpha')
    .option('--default-channel <name>', 'by default the first')
    .option('--replaces <version>', 'the version before this one')
    .option('--display-name <name>', 'what people read')
    .option('--description <text>', 'what people read about it; by default that of package.json')
    .option('--provider <name>', 'who makes it; by default the author of package.json')
    .option('--maturity <word>', 'such as alpha, beta or stable')
    .option('--min-kube-version <version>', 'the oldest Kubernetes it runs on')
    .option('--folder <dir>', 'where to write', 'bundle')
    .option(...CHECK)
    .addOption(output())
    .addHelpText(
      'after',
      '\nExample:\n  pintle generate bundle --version 1.0.0 --image registry.example.com/fruits:1.0.0',
    )
    .action(async (options) => {
      const { bundle } = await import('./generate.ts');
      await bundle(options);
    });
  generate
    .command('docs')
    .summary('an API reference in Markdown')
    .description('an API reference in Markdown, of the project or of definitions in files')
    .option('--from <path...>', 'files, folders or file: URLs that hold definitions; by default the project’s own')
    .option('--out <file>', 'what to write', 'docs/api.md')
    .option('--title <title>', 'the first line')
    .option(...CHECK)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle generate docs --out docs/api.md')
    .action(async (options) => {
      const { docs } = await import('./generate.ts');
      await docs(options);
    });
}
