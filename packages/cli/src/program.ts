import { Command, Option } from 'commander';
import { readPort } from './read-port.ts';

/** The commands that people type. */
export function createProgram(): Command {
  const program = new Command('pintle')
    .description('Kubernetes’ control plane and operator toolkit, in TypeScript')
    .showHelpAfterError()
    .enablePositionalOptions();
  program
    .command('up')
    .description('run the control plane on this machine')
    .addOption(new Option('--data <dir>', 'where to keep objects, certificates and the kubeconfig').default('.pintle'))
    .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 takes any free one').default(6443).argParser(readPort),
    )
    .addOption(new Option('--kubeconfig <file>', 'where to write the kubeconfig; by default beside the data'))
    .addOption(new Option('--memory', 'keep nothing on disk: objects are gone when the server stops'))
    .addOption(new Option('--token-auth-file <file>', 'bearer tokens, as lines of token,user,uid,"group1,group2"'))
    .addOption(
      new Option('--controllers <names>', 'which controllers run: * all, name this one, -name not this one').default(
        '*',
      ),
    )
    .action(async (options) => {
      const { up } = await import('./up/up.ts');
      await up(options);
    });
  program
    .command('apiserver')
    .description('run the API server in the place of the kube-apiserver binary; takes its flags')
    .helpOption(false);
  return program;
}
