import { type Command, Option } from 'commander';
import { readBoolean, readDuration, readHost, readNodes, readPort } from '../read-values.ts';

/** Adds `controller-manager`. Flags that kube-controller-manager has mean what they mean there. */
export function addControllerManagerCommand(program: Command): void {
  const duration = (flag: string, text: string, ms: number, shown: string): Option =>
    new Option(`${flag} <duration>`, text).default(ms, shown).argParser(readDuration);
  program
    .command('controller-manager')
    .summary('Run the controllers apart from the API server')
    .description('Run the built-in controllers and the scheduler against an API server, as its leader or its stand-by')
    .addOption(new Option('--kubeconfig <file>', 'Path of the kubeconfig file; its user must be a cluster admin'))
    .addOption(new Option('--context <name>', 'Context of the kubeconfig'))
    .addOption(
      new Option('--controllers <names>', 'Controllers to run: * for all, name to add, -name to leave out').default(
        '*',
      ),
    )
    .addOption(
      new Option('--leader-elect <bool>', 'Run the controllers only while holding the lease')
        .default(true)
        .argParser(readBoolean),
    )
    .addOption(duration('--leader-elect-lease-duration', 'Time after which another takes over', 15_000, '15s'))
    .addOption(
      duration('--leader-elect-renew-deadline', 'Time after which a leader that cannot renew stops', 10_000, '10s'),
    )
    .addOption(duration('--leader-elect-retry-period', 'Time between two tries', 2_000, '2s'))
    .addOption(
      new Option('--leader-elect-resource-name <name>', 'Name of the lease').default('kube-controller-manager'),
    )
    .addOption(new Option('--leader-elect-resource-namespace <name>', 'Namespace of the lease').default('kube-system'))
    .addOption(
      new Option('--root-ca-file <file>', 'Certificates to publish in namespaces (default: those of the kubeconfig)'),
    )
    .addOption(new Option('--service-account-private-key-file <file>', 'Key that signs tokens kept in Secrets'))
    .addOption(new Option('--cluster-signing-cert-file <file>', 'Authority that signs CertificateSigningRequests'))
    .addOption(new Option('--cluster-signing-key-file <file>', 'Key of that authority'))
    .addOption(
      new Option('--bind-address <address>', 'Address of metrics and probes').default('127.0.0.1').argParser(readHost),
    )
    .addOption(
      new Option('--controller-metrics <port>', 'Port of /metrics and /readyz (default: none)').argParser(readPort),
    )
    .addOption(
      new Option('--nodes <number>', 'Number of nodes that run pods, without containers')
        .default(0)
        .argParser(readNodes),
    )
    .addOption(
      new Option('--kubelet <kind>', 'Nodes: simulated runs nothing, process runs the commands of pods on this machine')
        .choices(['simulated', 'process'])
        .default('simulated'),
    )
    .addOption(
      new Option('--job-run-for <time>', 'Run time of Job containers whose command sets none (default: 1s)').argParser(
        readDuration,
      ),
    )
    .addHelpText('after', '\nExample:\n  pintle controller-manager --kubeconfig .pintle/kubeconfig --nodes 3')
    .action(async (options) => {
      const { controllerManager } = await import('./controller-manager.ts');
      await controllerManager(options);
    });
}
