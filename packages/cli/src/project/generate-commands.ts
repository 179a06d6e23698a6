import type { Command } from 'commander';
import { output } from '../help/describe-option.ts';

const CHECK = ['--check', 'Write nothing; fail if files are out of date'] as const;

/** Adds the subcommands of `generate` besides manifests. Each loads its modules when it runs. */
export function addGenerateCommands(generate: Command): void {
  generate
    .command('types')
    .summary('Generate TypeScript from CRDs')
    .description('Generate TypeScript types, descriptors and Zod schemas from CustomResourceDefinitions')
    .option('--from <path...>', 'Files, folders or file: URLs that hold CRDs')
    .option('--url <url...>', 'https: or file: URLs of CRDs')
    .option('--cluster', 'Read the CRDs of the cluster in the kubeconfig')
    .option('--context <name>', 'Read the CRDs of the cluster in this context')
    .option('--kubeconfig <file>', 'Read the CRDs of the cluster in this kubeconfig file')
    .option('--interfaces', 'Write plain interfaces with JSDoc tags, as `generate crds` reads them')
    .option('--out <dir>', 'Folder to write to', 'src/types')
    .option(...CHECK)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle generate types --from crds/ --out src/types')
    .action(async (options) => {
      const { types } = await import('./generate.ts');
      await types(options);
    });
  generate
    .command('crds')
    .summary('Generate CRDs from TypeScript')
    .description('Generate CustomResourceDefinitions from TypeScript interfaces with JSDoc tags')
    .option('--from <path...>', 'Files, folders, or patterns with * and **', ['src'])
    .option('--out <dir>', 'Folder to write to', 'config/crd/bases')
    .option(...CHECK)
    .addOption(output())
    .addHelpText('after', "\nExample:\n  pintle generate crds --from 'src/**/*.ts'")
    .action(async (options) => {
      const { crds } = await import('./generate.ts');
      await crds(options);
    });
  generate
    .command('bundle')
    .summary('Generate a bundle for OLM')
    .description('Generate a bundle for the Operator Lifecycle Manager (OLM)')
    .option('--version <version>', 'Version of the operator (default: the version in package.json)')
    .option('--image <image>', 'Image of the operator (default: the project’s image, or NAME:VERSION)')
    .option('--channels <names...>', 'Channels of the catalog (default: alpha)')
    .option('--default-channel <name>', 'Default channel (default: the first of --channels)')
    .option('--replaces <version>', 'Version that this one replaces')
    .option('--display-name <name>', 'Display name of the operator')
    .option('--description <text>', 'Description of the operator (default: the description in package.json)')
    .option('--provider <name>', 'Name of the provider (default: the author in package.json)')
    .option('--maturity <word>', 'Maturity, such as alpha, beta or stable')
    .option('--min-kube-version <version>', 'Minimum version of Kubernetes')
    .option('--folder <dir>', 'Folder to write to', 'bundle')
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
    .summary('Generate an API reference in Markdown')
    .description('Generate an API reference in Markdown, of the project or of CRDs in files')
    .option('--from <path...>', 'Files, folders or file: URLs that hold CRDs (default: the project’s CRDs)')
    .option('--out <file>', 'File to write', 'docs/api.md')
    .option('--title <title>', 'Title of the page')
    .option(...CHECK)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle generate docs --out docs/api.md')
    .action(async (options) => {
      const { docs } = await import('./generate.ts');
      await docs(options);
    });
}
