import { type Command, Option } from 'commander';
import { output } from '../help/describe-option.ts';
import { readDuration, readNodes, readPort, readReplicas } from '../read-values.ts';
import { addGenerateCommands } from './generate-commands.ts';

/** Adds the commands that create a project and add to it. Each loads its modules when it runs. */
export function addProjectCommands(program: Command): void {
  program
    .command('init')
    .description('Create a project: an operator, its tests and its image')
    .argument('[dir]', 'Folder of the project (default: the current folder)')
    .option('--name <name>', 'Name of the operator (default: the name of the folder)')
    .option('--domain <domain>', 'Domain of the API groups (default: example.com)')
    .option('--license <id>', 'SPDX identifier of the license (default: Apache-2.0)')
    .option('--multigroup', 'Use a folder per API group')
    .option('--namespaced', 'Restrict the operator to its own namespace')
    .option('--sharded', 'Share the work among the replicas, instead of one that leads')
    .option('-y, --yes', 'Accept all defaults without prompting')
    .addOption(output())
    .addHelpText(
      'after',
      '\nIn a terminal, prompts for the values that no flag sets.\n\nExamples:\n  pintle init\n  pintle init fruits --domain example.com --yes',
    )
    .action(async (directory: string | undefined, options) => {
      const { init } = await import('./init.ts');
      await init({ ...(directory !== undefined && { directory }), ...options });
    });
  const create = program.command('create').description('Add to the project in this folder');
  create
    .command('api')
    .description('Create a resource and its controller')
    .option('--group <group>', 'API group: the part before the project’s domain, or a whole group with dots')
    .option('--version <version>', 'API version, such as v1 or v1beta1')
    .option('--kind <kind>', 'Kind, such as Fruit')
    .option('--from-crd <file>', 'Path of a CustomResourceDefinition to take the resource and its names from')
    .option('--resource', 'Create the resource (default: true)')
    .option('--no-resource', 'Create no resource: it exists, or is defined elsewhere')
    .option('--controller', 'Create the controller (default: true)')
    .option('--no-controller', 'Create no controller')
    .addOption(
      new Option('--scope <scope>', 'Scope of the objects')
        .choices(['Namespaced', 'Cluster'])
        .default(undefined, 'Namespaced'),
    )
    .addOption(output())
    .addHelpText(
      'after',
      '\nExamples:\n  pintle create api --group food --version v1 --kind Fruit\n  pintle create api --from-crd certificates.yaml',
    )
    .action(async (options) => {
      const { api } = await import('./create.ts');
      api(options);
    });
  create
    .command('webhook')
    .description('Create webhooks for a resource')
    .requiredOption('--kind <kind>', 'Kind that the project defines')
    .option('--group <group>', 'API group, if several have the kind')
    .option('--version <version>', 'API version, if the kind has several')
    .option('--defaulting', 'Create a webhook that sets defaults')
    .option('--validation', 'Create a webhook that validates objects')
    .option('--conversion', 'Create a webhook that converts between versions')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle create webhook --kind Fruit --defaulting --validation')
    .action(async (options) => {
      const { webhook } = await import('./create.ts');
      webhook(options);
    });
  create
    .command('controller')
    .description('Create a controller for a kind that is defined elsewhere')
    .requiredOption('--for <kind>', 'Kind to reconcile, such as core/v1/Pod')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle create controller --for core/v1/Pod')
    .action(async (options) => {
      const { controller } = await import('./create.ts');
      controller(options);
    });
  const generate = program.command('generate').description('Generate files from the code');
  generate
    .command('manifests')
    .summary('Generate CRDs, roles, webhooks and a Deployment')
    .description(
      'Generate CRDs, roles, webhooks and a Deployment: as kustomize bases, as install.yaml and as a Helm chart',
    )
    .option(...NAMESPACE)
    .option(...IMAGE)
    .option(...REPLICAS)
    .option('--folder <dir>', 'Folder to write to', 'manifests')
    .option('--check', 'Write nothing; fail if files are out of date')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle generate manifests --image registry.example.com/fruits:1.0')
    .action(async (options) => {
      const { manifests } = await import('./generate.ts');
      await manifests(options);
    });
  addGenerateCommands(generate);
  addClusterCommands(program);
}

const NAMESPACE = ['--namespace <name>', 'Namespace of the operator (default: NAME-system)'] as const;
const IMAGE = ['--image <image>', 'Image of the operator, remembered (default: the last one, or NAME:latest)'] as const;
const REPLICAS = [
  '--replicas <number>',
  'Number of replicas, remembered; one leads, or all share the work with `sharding`',
  readReplicas,
] as const;
const TIMEOUT = ['--timeout <time>', 'Maximum time to wait, such as 90s or 5m (default: 2m)', readDuration] as const;
const YES = ['-y, --yes', 'Delete the objects of the CRDs without confirmation'] as const;

/** Adds the flags that choose a cluster. */
const onCluster = (command: Command): Command =>
  command
    .option('--context <name>', 'Context of the kubeconfig (default: its current context)')
    .option('--kubeconfig <file>', 'Path of the kubeconfig file (default: $KUBECONFIG, or ~/.kube/config)');

/** Adds the flags of operators that run on this machine. */
const asRun = (command: Command): Command =>
  command
    .option('--observe', 'Record the API requests of the operator; its roles then allow them')
    .option('--verbose', 'Log at debug level')
    .option('--webhook-url <url>', 'URL of the webhooks for the API server, such as https://192.0.2.1:9443')
    .option('--no-webhooks', 'Serve and register no webhooks');

/** Adds the commands that run a project or bring it onto a cluster. */
function addClusterCommands(program: Command): void {
  const dev = onCluster(
    program
      .command('dev')
      .summary('Run a control plane and the operator, with live reload')
      .description('Run a control plane and the operator, and restart the operator when its code changes'),
  )
    .addOption(
      new Option('--port <number>', 'Port of the control plane (default: 6443, or a free port)').argParser(readPort),
    )
    .addOption(new Option('--nodes <number>', 'Number of simulated nodes').default(1).argParser(readNodes));
  asRun(dev)
    .addHelpText('after', '\nExample:\n  pintle dev --port 0')
    .action(async (options) => {
      const { dev } = await import('./dev.ts');
      await dev(options);
    });
  asRun(onCluster(program.command('run').description('Run the operator on this machine against a cluster')))
    .addHelpText('after', '\nExample:\n  pintle run --context staging --no-webhooks')
    .action(async (options) => {
      const { runOperator } = await import('./dev.ts');
      await runOperator(options);
    });
  program
    .command('observe')
    .summary('Record the API requests of operators in a command')
    .description(
      'Run a command, such as tests, and record the API requests of operators in it; their roles then allow them',
    )
    .argument('<command...>', 'Command to run, after --')
    .option('--replace', 'Discard earlier records if the command succeeds')
    .addHelpText('after', '\nExample:\n  pintle observe -- npm test && pintle generate manifests')
    .action(async (command: string[], options) => {
      const { observe } = await import('./observe.ts');
      await observe({ command, ...options });
    });
  onCluster(program.command('install').description('Install the CRDs on a cluster'))
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle install --context staging')
    .action(async (options) => {
      const { install } = await import('./deploy.ts');
      await install(options);
    });
  onCluster(program.command('uninstall').description('Delete the CRDs and all objects of their kinds'))
    .option(...YES)
    .option('--no-wait', 'Return before everything is gone')
    .option(...TIMEOUT)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle uninstall --context staging')
    .action(async (options) => {
      const { uninstall } = await import('./deploy.ts');
      await uninstall(options);
    });
  onCluster(program.command('deploy').description('Deploy the operator and wait until it runs'))
    .option(...NAMESPACE)
    .option(...IMAGE)
    .option(...REPLICAS)
    .option('--no-wait', 'Return before the operator runs')
    .option(...TIMEOUT)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle deploy --image registry.example.com/fruits:1.0 --replicas 2')
    .action(async (options) => {
      const { deploy } = await import('./deploy.ts');
      await deploy(options);
    });
  onCluster(program.command('undeploy').description('Remove the operator from a cluster'))
    .option(...NAMESPACE)
    .option('--crds', 'Delete the CRDs too, and all objects of their kinds')
    .option(...YES)
    .option('--no-wait', 'Return before everything is gone')
    .option(...TIMEOUT)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle undeploy --namespace fruits-system')
    .action(async (options) => {
      const { undeploy } = await import('./deploy.ts');
      await undeploy(options);
    });
  onCluster(
    program
      .command('migrate-storage')
      .summary('Rewrite all objects of a kind in the stored version')
      .description('Rewrite all objects of a resource unchanged, so that the server stores them in the stored version')
      .argument('<kind>', 'Resource as kubectl names it, such as fruits.food.example.com'),
  )
    .addHelpText('after', '\nExample:\n  pintle migrate-storage fruits.food.example.com')
    .action(async (resource: string, options) => {
      const { migrateStorage } = await import('./migrate-storage.ts');
      await migrateStorage(resource, options);
    });
  program
    .command('build')
    .summary('Build the image of the operator')
    .description(
      'Build the image of the operator: with docker, podman or buildah, or as an OCI image layout without them',
    )
    .option('--tag <image>', 'Name of the image (default: the project’s image, or NAME:latest)')
    .option('--platform <platform>', 'Platform of the image, such as linux/arm64 (default: this machine’s)')
    .addOption(
      new Option('--engine <name>', 'Engine that builds the image')
        .choices(['docker', 'podman', 'buildah', 'none'])
        .default(undefined, 'the first that responds'),
    )
    .option('--layout <path>', 'Path of an OCI image layout to write: a folder, or a file that ends with .tar')
    .option('--base <path>', 'Path of the base image with Node.js: an OCI image layout, or output of docker save')
    .addOption(output())
    .addHelpText(
      'after',
      '\nExamples:\n  pintle build --tag registry.example.com/fruits:1.0\n  pintle build --base node-24.tar --layout fruits.tar',
    )
    .action(async (options) => {
      const { build } = await import('./build.ts');
      await build(options);
    });
  program
    .command('validate')
    .summary('Validate manifests without a cluster')
    .description('Validate manifests without a cluster: schemas, CEL rules and admission policies')
    .requiredOption('-f, --filename <paths...>', 'Files or folders to validate; - reads standard input')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle validate -f manifests/install.yaml')
    .action(async (options) => {
      const { validate } = await import('./validate.ts');
      await validate(options);
    });
  onCluster(program.command('doctor').description('Check the tools, the project and the cluster'))
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle doctor --output json')
    .action(async (options) => {
      const { doctor } = await import('./doctor.ts');
      await doctor(options);
    });
}
