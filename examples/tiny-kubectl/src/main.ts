import { connect, loadConfig } from '@pintle/client';
import { readArguments, usage } from './arguments.ts';
import { commands } from './commands.ts';

/** Runs commands such as `tiny-kubectl get pods -n apps`, with the cluster and user of the kubeconfig. */
const request = readArguments(process.argv.slice(2));
const command = commands[request.command];
if (command === undefined) {
  console.error(usage(Object.keys(commands)));
  process.exitCode = 2;
} else {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  try {
    const config = await loadConfig(request.flags.context === undefined ? {} : { context: request.flags.context });
    await using client = await connect(config, {
      userAgent: 'tiny-kubectl',
      onWarning: (text) => console.error(`Warning: ${text}`),
    });
    const namespace = request.flags.namespace ?? config.namespace;
    const print = (text: string | Uint8Array) => void process.stdout.write(text);
    process.exitCode = await command(request, { client, namespace, print, signal: stop.signal });
  } catch (error) {
    if (!stop.signal.aborted) {
      console.error((error as Error).message);
      process.exitCode = 1;
    }
  }
}
