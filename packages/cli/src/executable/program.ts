import type { Command } from 'commander';
import { createProgram } from '../program.ts';
import { UsageError } from '../usage-error.ts';

/** Commands that work without the npm packages, and without native code. */
const INCLUDED: ReadonlySet<string> = new Set([
  'up',
  'apiserver',
  'controller-manager',
  'envtest-assets',
  'completion',
  'help',
  '__complete',
]);

const ABOUT = `
This executable needs no Node.js, and has only the control plane:
  Objects are kept in memory (--memory) or in an etcd (--etcd-servers). A data
  folder needs native code, which is in the npm packages only, as are the web
  console and the commands under "In the npm packages".`;

/** Returns the program of the executable: all commands, of which those that it leaves out say so. */
export function createExecutableProgram(): Command {
  const program = createProgram();
  for (const command of program.commands) {
    if (INCLUDED.has(command.name())) continue;
    command.helpGroup('In the npm packages:');
    for (const leaf of leavesOf(command)) leaf.action(() => refuse(command.name()));
  }
  program.commands
    .find((each) => each.name() === 'up')!
    .hook('preAction', (_, up) => {
      const { memory, etcdServers } = up.opts();
      if (!memory && etcdServers === undefined)
        throw new UsageError('Cannot keep objects in a folder: the executable takes --memory or --etcd-servers');
      // The files of the page are in the npm packages.
      up.setOptionValue('console', false);
    });
  return program.addHelpText('after', ABOUT);
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function refuse(name: string): never {
  throw new UsageError(
    `Cannot run pintle ${name}: the executable has only the control plane; use the npm packages, which need Node.js`,
  );
}
