import { type Command, Option } from 'commander';
import { readCount, readDuration, readPort } from '../read-values.ts';
import { addGenerateCommands } from './generate-commands.ts';

const output = (): Option => new Option('-o, --output <form>', 'print text or JSON').choices(['text', 'json']);

/** Commands that make a project and add to it. Each loads what it needs when it is chosen. */
export function addProjectCommands(program: Command): void {
  program
    .command('init')
    .description('begin a project: an operator, its tests, its image')
    .argument('[dir]', 'where; by default here')
    .option('--name <name>', 'what the operator is called; by default as its folder')
    .option('--domain <domain>', 'whose domain its resources are in; by default example.com')
    .option('--license <id>', 'as SPDX spells it; by default Apache-2.0')
    .option('--multigroup', 'a folder for each group of resources')
    .option('--namespaced', 'the operator looks after its own namespace only')
    .option('-y, --yes', 'ask nothing: take what is usual')
    .addOption(output())
    .addHelpText(
      'after',
      '\nWhat is not said is asked for in a terminal.\n\nExamples:\n  pintle init\n  pintle init fruits --domain example.com --yes',
    )
    .action(async (directory: string | undefined, options) => {
      const { init } = await import('./init.ts');
      await init({ ...(directory !== undefined && { directory }), ...options });
    });
  const create = program.command('create').description('add to the project in this folder');
  create
    .command('api')
    .description('a resource, and a controller that looks after it')
    .option('--group <group>', 'before the project’s domain, or with dots the whole group')
    .option('--version <version>', 'such as v1 or v1beta1')
    .option('--kind <kind>', 'such as Fruit')
    .option('--from-crd <file>', 'take the resource from a CustomResourceDefinition, and its names too')
    .option('--resource', 'with the resource, as is usual')
    .option('--no-resource', 'without it: it is there, or comes from elsewhere')
    .option('--controller', 'with a controller, as is usual')
    .option('--no-controller', 'without it')
    .addOption(new Option('--scope <scope>', 'where objects live').choices(['Namespaced', 'Cluster']))
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
    .description('what is said about objects before they are stored')
    .requiredOption('--kind <kind>', 'a kind that the project defines')
    .option('--group <group>', 'when several groups have such a kind')
    .option('--version <version>', 'when there are several versions')
    .option('--defaulting', 'fills in what was left out')
    .option('--validation', 'refuses what must not be')
    .option('--conversion', 'shows objects in other versions')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle create webhook --kind Fruit --defaulting --validation')
    .action(async (options) => {
      const { webhook } = await import('./create.ts');
      webhook(options);
    });
  create
    .command('controller')
    .description('a controller of objects that are defined elsewhere')
    .requiredOption('--for <kind>', 'such as core/v1/Pod')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle create controller --for core/v1/Pod')
    .action(async (options) => {
      const { controller } = await import('./create.ts');
      controller(options);
    });
  const generate = program.command('generate').description('write files from what the code says');
  generate
    .command('manifests')
    .summary('definitions, roles, webhooks and a deployment')
    .description(
      'definitions, roles, webhooks and a deployment: as kustomize bases, as install.yaml and as a Helm chart',
    )
    .option('--namespace <name>', 'where the operator runs; by default NAME-system')
    .option('--image <image>', 'what it runs, from now on; by default what was said last, or NAME:latest')
    .option('--replicas <number>', 'how many, from now on; one of them leads', readCount)
    .option('--folder <dir>', 'where to write', 'manifests')
    .option('--check', 'write nothing: fail when files are not what would be written')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle generate manifests --image registry.example.com/fruits:1.0')
    .action(async (options) => {
      const { manifests } = await import('./generate.ts');
      await manifests(options);
    });
  addGenerateCommands(generate);
  addClusterCommands(program);
}

const onCluster = (command: Command): Command =>
  command
    .option('--context <name>', 'which context of the kubeconfig')
    .option('--kubeconfig <file>', 'by default what KUBECONFIG says, or ~/.kube/config');

const OBSERVE = ['--observe', 'write down what the operator does: roles come from that too'] as const;

const YES = ['-y, --yes', 'delete the objects of the definitions without a question'] as const;

/** Adds the flags of operators that run on this machine. */
const asRun = (command: Command): Command =>
  command
    .option(...OBSERVE)
    .option('--verbose', 'the operator tells details too')
    .option('--webhook-url <url>', 'where the API server reaches the webhooks, such as https://192.0.2.1:9443')
    .option('--no-webhooks', 'run without webhooks: serve none, register none');

/** Commands that bring a project onto a cluster. */
function addClusterCommands(program: Command): void {
  const dev = onCluster(program.command('dev').description('control plane and operator; changes are live at once'))
    .addOption(
      new Option('--port <number>', 'of the control plane; by default 6443, or one that is free').argParser(readPort),
    )
    .addOption(new Option('--nodes <number>', 'simulated nodes').default(1).argParser(readCount));
  asRun(dev)
    .addHelpText('after', '\nExample:\n  pintle dev --port 0')
    .action(async (options) => {
      const { dev } = await import('./dev.ts');
      await dev(options);
    });
  asRun(onCluster(program.command('run').description('run the operator on this machine, against a cluster')))
    .addHelpText('after', '\nExample:\n  pintle run --context staging --no-webhooks')
    .action(async (options) => {
      const { runOperator } = await import('./dev.ts');
      await runOperator(options);
    });
  program
    .command('observe')
    .summary('write down what operators do in a command or test')
    .description('run a command, such as tests, and write down what operators in it do: roles come from that too')
    .argument('<command...>', 'what to run, after --')
    .option('--replace', 'forget what was written down before, when the command succeeds')
    .addHelpText('after', '\nExample:\n  pintle observe -- npm test && pintle generate manifests')
    .action(async (command: string[], options) => {
      const { observe } = await import('./observe.ts');
      await observe({ command, ...options });
    });
  onCluster(program.command('install').description('bring the definitions onto a cluster'))
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle install --context staging')
    .action(async (options) => {
      const { install } = await import('./deploy.ts');
      await install(options);
    });
  onCluster(program.command('uninstall').description('delete the definitions and all objects of their kinds'))
    .option(...YES)
    .option('--no-wait', 'do not wait until everything is gone')
    .option('--timeout <time>', 'how long to wait, such as 90s or 5m; by default 2m', readDuration)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle uninstall --context staging')
    .action(async (options) => {
      const { uninstall } = await import('./deploy.ts');
      await uninstall(options);
    });
  onCluster(program.command('deploy').description('bring the operator onto a cluster, wait until it runs'))
    .option('--namespace <name>', 'where it runs; by default NAME-system')
    .option('--image <image>', 'what it runs, from now on; by default what was said last, or NAME:latest')
    .option('--replicas <number>', 'how many, from now on; one of them leads', readCount)
    .option('--no-wait', 'do not wait until it runs')
    .option('--timeout <time>', 'how long to wait, such as 90s or 5m; by default 2m', readDuration)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle deploy --image registry.example.com/fruits:1.0 --replicas 2')
    .action(async (options) => {
      const { deploy } = await import('./deploy.ts');
      await deploy(options);
    });
  onCluster(program.command('undeploy').description('take the operator away'))
    .option('--namespace <name>', 'where it runs; by default NAME-system')
    .option('--crds', 'delete the definitions too, and with them all objects of their kinds')
    .option(...YES)
    .option('--no-wait', 'do not wait until everything is gone')
    .option('--timeout <time>', 'how long to wait, such as 90s or 5m; by default 2m', readDuration)
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle undeploy --namespace fruits-system')
    .action(async (options) => {
      const { undeploy } = await import('./deploy.ts');
      await undeploy(options);
    });
  onCluster(
    program
      .command('migrate-storage')
      .summary('store every object of a resource anew')
      .description(
        'write every object of a resource once more, unchanged: the server stores it in the version that is stored now',
      )
      .argument('<kind>', 'as kubectl takes it, such as fruits.food.example.com'),
  )
    .addHelpText('after', '\nExample:\n  pintle migrate-storage fruits.food.example.com')
    .action(async (resource: string, options) => {
      const { migrateStorage } = await import('./migrate-storage.ts');
      await migrateStorage(resource, options);
    });
  program
    .command('build')
    .summary('the operator’s image, with or without docker')
    .description('the operator’s image: by docker, podman or buildah, or as an OCI image layout without any of them')
    .option('--tag <image>', 'what it is called; by default the project’s image, or NAME:latest')
    .option('--platform <platform>', 'such as linux/arm64; by default that of this machine')
    .addOption(
      new Option('--engine <name>', 'who builds; by default the first that answers').choices([
        'docker',
        'podman',
        'buildah',
        'none',
      ]),
    )
    .option('--layout <path>', 'write an OCI image layout: a folder, or a file that ends with .tar')
    .option('--base <path>', 'an OCI image layout, or what docker save wrote, that has node: the layout stands on it')
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
    .summary('would a server take these objects? Without a cluster')
    .description('would a server take these objects? Schemas, CEL and policies, without a cluster')
    .requiredOption('-f, --filename <paths...>', 'files or folders; - reads what is typed in')
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle validate -f manifests/install.yaml')
    .action(async (options) => {
      const { validate } = await import('./validate.ts');
      await validate(options);
    });
  onCluster(program.command('doctor').description('look at what the other commands rely on'))
    .addOption(output())
    .addHelpText('after', '\nExample:\n  pintle doctor --output json')
    .action(async (options) => {
      const { doctor } = await import('./doctor.ts');
      await doctor(options);
    });
}
