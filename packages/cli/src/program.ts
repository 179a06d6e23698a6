import { table } from '@pintle/machinery/table';
import { Command, Option } from 'commander';
import { FLAGS, type Flag } from './apiserver/flags.ts';
import { addCompletionCommands } from './completion/commands.ts';
import { addHelpCommand, sayErrorsShortly } from './help/help-command.ts';
import { HELP_WIDTH } from './help/help-texts.ts';
import { addProjectCommands } from './project/commands.ts';
import { addExploreCommand } from './project/explore-command.ts';
import { addUpkeepCommands } from './project/upkeep-commands.ts';
import { packageVersion } from './project/version.ts';
import { readCount, readDuration, readHost, readPort } from './read-values.ts';

/** Flags of kube-apiserver that `up` takes as well: who is let in and what they may do. */
const SHARED_FLAGS = (Object.keys(FLAGS) as Flag[]).filter((name) =>
  /^(anonymous-auth|authorization-mode|token-auth-file|oidc-|audit-log-mode|http2$|etcd-)/.test(name),
);

const SECRETS_KEY_HELP = 'the keys that Secrets are encrypted with; by default secrets.key beside the data';

const AFTER_HELP = `
Examples:
  pintle up                                  the control plane on this machine
  pintle init fruits --domain example.com    a project of your own
  pintle help create api                     what a command takes

Exit codes:
  0  it was done, or what was looked at is good
  1  it was not done, or what was looked at is not good;
     the last line on standard error says why`;

/** Under which heading the help of all shows each. */
const GROUPS: Readonly<Record<string, readonly string[]>> = table({
  'Control plane:': ['up', 'keys', 'apiserver', 'envtest-assets'],
  'Project:': ['init', 'create', 'generate', 'edit', 'upgrade'],
  'Development:': ['dev', 'run', 'observe', 'explore', 'build', 'validate', 'doctor'],
  'Cluster:': ['install', 'uninstall', 'deploy', 'undeploy', 'migrate-storage'],
  'More:': ['completion', 'help'],
});

/** The commands that people type. */
export function createProgram(): Command {
  const program = new Command('pintle')
    .description('Kubernetes’ control plane and operator toolkit, in TypeScript')
    .version(packageVersion(), '-V, --version', 'which version this is')
    .helpOption('-h, --help', 'what this takes')
    .configureHelp({ helpWidth: HELP_WIDTH, subcommandTerm: nameAndArguments })
    .enablePositionalOptions();
  const upCommand = program
    .command('up')
    .description('run the control plane on this machine')
    .addOption(new Option('--data <dir>', 'where to keep objects, certificates and the kubeconfig').default('.pintle'))
    .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1').argParser(readHost))
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 takes any free one').default(6443).argParser(readPort),
    )
    .addOption(new Option('--kubeconfig <file>', 'where to write the kubeconfig; by default beside the data'))
    .addOption(new Option('--memory', 'keep nothing on disk: objects are gone when the server stops'))
    .addOption(new Option('--secrets-key-file <file>', SECRETS_KEY_HELP))
    .addOption(
      new Option('--nodes <number>', 'how many nodes run pods; no container is started')
        .default(0)
        .argParser(readCount),
    )
    .addOption(
      new Option(
        '--kubelet <kind>',
        'what runs on nodes: simulated, nothing; process, the commands of pods on this machine',
      )
        .choices(['simulated', 'process'])
        .default('simulated'),
    )
    .addOption(
      new Option(
        '--job-run-for <time>',
        'how long containers of Jobs run on simulated nodes whose command does not say; by default 1s',
      ).argParser(readDuration),
    )
    .addOption(
      new Option('--controllers <names>', 'which controllers run: * all, name this one, -name not this one').default(
        '*',
      ),
    )
    .addOption(
      new Option('--controller-metrics <port>', 'where to serve /metrics and /readyz of the controllers').argParser(
        readPort,
      ),
    )
    .addHelpText('after', '\nExamples:\n  pintle up --nodes 3\n  pintle up --memory --port 0 --kubeconfig ./kubeconfig')
    .action(async (options) => {
      const { up } = await import('./up/up.ts');
      await up({ ...options, auth: authOf(upCommand) });
    });
  for (const name of SHARED_FLAGS) {
    const [value, text] = FLAGS[name];
    upCommand.addOption(new Option(`--${name} <${value.toLowerCase()}>`, text));
  }
  program
    .command('keys')
    .description('keys that Secrets are encrypted with')
    .command('rotate')
    .description('make a new key and encrypt all Secrets with it; the server must not run')
    .addOption(new Option('--data <dir>', 'where the objects are').default('.pintle'))
    .addOption(new Option('--secrets-key-file <file>', SECRETS_KEY_HELP))
    .addOption(new Option('--forget', 'remove older keys; copies of the data made before cannot be read then'))
    .addHelpText('after', '\nExample:\n  pintle keys rotate --data .pintle')
    .action(async (options) => {
      const { rotateKeys } = await import('./keys/rotate-keys.ts');
      await rotateKeys(options);
    });
  program
    .command('apiserver')
    .description('stand in for kube-apiserver: takes its flags')
    .helpOption(false)
    .addHelpText('after', '\nIts flags: pintle apiserver --help');
  program
    .command('envtest-assets')
    .summary('let envtest suites of any language run on pintle')
    .description('write programs that stand in for those of envtest: suites in any language then run on pintle')
    .argument('<dir>', 'where to; set KUBEBUILDER_ASSETS to it')
    .addHelpText('after', '\nExample:\n  pintle envtest-assets ./bin && KUBEBUILDER_ASSETS=$PWD/bin go test ./...')
    .action(async (dir: string) => {
      const { envtestAssets } = await import('./envtest/envtest-assets.ts');
      await envtestAssets(dir);
    });
  addProjectCommands(program);
  addExploreCommand(program);
  addUpkeepCommands(program);
  addCompletionCommands(program);
  addHelpCommand(program);
  for (const [heading, names] of Object.entries(GROUPS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  program.addHelpText('after', AFTER_HELP);
  sayErrorsShortly(program, 'pintle');
  return program;
}

function nameAndArguments(command: Command): string {
  const shown = command.registeredArguments.map((each) => {
    const name = each.name() + (each.variadic ? '...' : '');
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...shown].join(' ');
}

function authOf(command: Command): Partial<Record<Flag, string>> {
  const chosen = SHARED_FLAGS.flatMap((name) => {
    const option = command.options.find(({ long }) => long === `--${name}`)!;
    const value: string | undefined = command.getOptionValue(option.attributeName());
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(chosen);
}
