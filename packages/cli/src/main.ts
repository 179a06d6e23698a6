#!/usr/bin/env node
import { Command, Option } from 'commander';
import { UsageError } from './usage-error.ts';

const program = new Command('pintle')
  .description('Kubernetes’ control plane and operator toolkit, in TypeScript')
  .showHelpAfterError()
  .enablePositionalOptions();

program
  .command('up')
  .description('run the control plane on this machine')
  .addOption(new Option('--data <dir>', 'where to keep objects, certificates and the kubeconfig').default('.pintle'))
  .addOption(new Option('--host <address>', 'address to listen on').default('127.0.0.1'))
  .addOption(new Option('--port <number>', 'port to listen on; 0 takes any free one').default(6443).argParser(readPort))
  .addOption(new Option('--kubeconfig <file>', 'where to write the kubeconfig; by default beside the data'))
  .addOption(new Option('--memory', 'keep nothing on disk: objects are gone when the server stops'))
  .addOption(new Option('--token-auth-file <file>', 'bearer tokens, as lines of token,user,uid,"group1,group2"'))
  .action(async (options) => {
    const { up } = await import('./up/up.ts');
    await up(options);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`pintle: ${error.message}\n`);
  process.exitCode = 1;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new UsageError(`Cannot listen on port ${JSON.stringify(text)}: it is not a number from 0 to 65535`);
  }
  return port;
}
