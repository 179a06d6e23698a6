import { table } from '@pintle/machinery/table';
import { Command, Option } from 'commander';
import { FLAGS, type Flag } from './apiserver/flags.ts';
import { addBackupCommands } from './backup/commands.ts';
import { addCompletionCommands } from './completion/commands.ts';
import { addControllerManagerCommand } from './controller-manager/command.ts';
import { describeOption } from './help/describe-option.ts';
import { addHelpCommand, shortenErrors } from './help/help-command.ts';
import { HELP_WIDTH } from './help/help-texts.ts';
import { addMigrateCommands } from './migrate/commands.ts';
import { addProjectCommands } from './project/commands.ts';
import { addExploreCommand } from './project/explore-command.ts';
import { addUpkeepCommands } from './project/upkeep-commands.ts';
import { packageVersion } from './project/version.ts';
import { readDuration, readHost, readNodes, readPort } from './read-values.ts';

/** Flags of kube-apiserver that `up` takes too: authentication, authorization, audit, HTTP/2, workers and etcd. */
const SHARED_FLAGS = (Object.keys(FLAGS) as Flag[]).filter((name) =>
  /^(anonymous-auth|authorization-mode|token-auth-file|oidc-|audit-log-mode|http2$|workers$|etcd-|encryption-provider-config$)/.test(
    name,
  ),
);

const SECRETS_KEY_HELP = 'Path of the keys that encrypt Secrets (default: secrets.key in the data folder)';

const AFTER_HELP = `
Examples:
  pintle up                                  # Run the control plane on this machine
  pintle init fruits --domain example.com    # Create a project
  pintle help create api                     # Print help for a command

Exit codes:
  0  Success
  1  The command failed, and the last line on standard error has the reason;
     or a check found problems, and standard output lists them
  N  pintle run and pintle observe exit with the code of the process they ran`;

/** Commands by the heading that the help shows them under. */
const GROUPS: Readonly<Record<string, readonly string[]>> = table({
  'Control plane:': [
    'up',
    'console',
    'backup',
    'restore',
    'migrate',
    'keys',
    'apiserver',
    'controller-manager',
    'envtest-assets',
  ],
  'Project:': ['init', 'create', 'generate', 'edit', 'upgrade'],
  'Development:': ['dev', 'run', 'observe', 'explore', 'build', 'validate', 'doctor'],
  'Cluster:': ['install', 'uninstall', 'deploy', 'undeploy', 'migrate-storage'],
  'More:': ['completion', 'help'],
});

/** Returns the program with all of its commands. */
export function createProgram(): Command {
  const program = new Command('pintle')
    .description('Kubernetes control plane and operator toolkit in TypeScript')
    .version(packageVersion(), '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .configureHelp({
      helpWidth: HELP_WIDTH,
      subcommandTerm: nameAndArguments,
      optionDescription: describeOption,
      argumentDescription: describeOption,
    })
    .enablePositionalOptions();
  const upCommand = program
    .command('up')
    .description('Run the control plane on this machine')
    .addOption(new Option('--data <dir>', 'Folder for objects, certificates and the kubeconfig').default('.pintle'))
    .addOption(new Option('--host <address>', 'Address to listen on').default('127.0.0.1').argParser(readHost))
    .addOption(
      new Option('--port <number>', 'Port to listen on; 0 picks a free port').default(6443).argParser(readPort),
    )
    .addOption(
      new Option('--kubeconfig <file>', 'Path of the kubeconfig to write (default: kubeconfig in the data folder)'),
    )
    .addOption(new Option('--memory', 'Keep objects in memory only; they are lost when the server stops'))
    .addOption(
      new Option('--from-etcd-snapshot <file>', 'Start with the objects of a cluster: a file of etcdctl snapshot save'),
    )
    .addOption(new Option('--secrets-key-file <file>', SECRETS_KEY_HELP))
    .addOption(
      new Option('--nodes <number>', 'Number of nodes that run pods; no image is pulled')
        .default(0)
        .argParser(readNodes),
    )
    .addOption(
      new Option('--kubelet <kind>', 'Nodes: simulated runs nothing, process runs the commands of pods on this machine')
        .choices(['simulated', 'process'])
        .default('simulated'),
    )
    .addOption(
      new Option(
        '--job-run-for <time>',
        'Run time of Job containers on simulated nodes if their command sets none (default: 1s)',
      ).argParser(readDuration),
    )
    .addOption(
      new Option('--controllers <names>', 'Controllers to run: * enables all, NAME one, -NAME disables one').default(
        '*',
      ),
    )
    .addOption(
      new Option('--controller-metrics <port>', 'Port for /metrics and /readyz of the controllers').argParser(readPort),
    )
    .addOption(
      new Option(
        '--history <time>',
        'Time for which the history of objects is kept, such as 24h (default: 5m)',
      ).argParser(readDuration),
    )
    .addOption(new Option('--no-console', 'Serve no web console'))
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
    .command('console')
    .description('Open the web console of a control plane')
    .option('--context <name>', 'Context of the kubeconfig')
    .option(
      '--kubeconfig <file>',
      'Path of the kubeconfig file (default: KUBECONFIG, .pintle/kubeconfig or ~/.kube/config)',
    )
    .option('--print', 'Print the link and open no browser')
    .addHelpText('after', '\nExample:\n  pintle console --print')
    .action(async (options) => {
      const { openConsole } = await import('./console/console.ts');
      await openConsole(options);
    });
  program
    .command('keys')
    .description('Manage the keys that encrypt Secrets')
    .command('rotate')
    .summary('Rotate the encryption key')
    .description('Rotate the encryption key: encrypt all Secrets with a new one. Stop the server first.')
    .addOption(new Option('--data <dir>', 'Folder that holds the objects').default('.pintle'))
    .addOption(new Option('--secrets-key-file <file>', SECRETS_KEY_HELP))
    .addOption(new Option('--forget', 'Remove the old keys; earlier copies of the data cannot be read without them'))
    .addHelpText('after', '\nExample:\n  pintle keys rotate --data .pintle')
    .action(async (options) => {
      const { rotateKeys } = await import('./keys/rotate-keys.ts');
      await rotateKeys(options);
    });
  program
    .command('apiserver')
    .description('Run the API server with the flags of kube-apiserver')
    .helpOption(false)
    .addHelpText('after', '\nRun `pintle apiserver --help` to list its flags.');
  program
    .command('envtest-assets')
    .summary('Write binaries that run envtest suites on Pintle')
    .description('Write binaries that stand in for those of envtest, so that suites in any language run on Pintle')
    .argument('<dir>', 'Folder to write to; set KUBEBUILDER_ASSETS to it')
    .addHelpText('after', '\nExample:\n  pintle envtest-assets ./bin && KUBEBUILDER_ASSETS=$PWD/bin go test ./...')
    .action(async (dir: string) => {
      const { envtestAssets } = await import('./envtest/envtest-assets.ts');
      await envtestAssets(dir);
    });
  addBackupCommands(program);
  addMigrateCommands(program);
  addControllerManagerCommand(program);
  addProjectCommands(program);
  addExploreCommand(program);
  addUpkeepCommands(program);
  addCompletionCommands(program);
  addHelpCommand(program);
  for (const [heading, names] of Object.entries(GROUPS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  program.addHelpText('after', AFTER_HELP);
  shortenErrors(program, 'pintle');
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
