import { realClock } from '@pintle/async';
import { expect, test } from 'vitest';
import { ExecPlugin } from './exec-plugin.ts';

test('a plugin that prints without end is ended, whatever it does about signals', async () => {
  const program = `
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1_000);
    const chunk = 'x'.repeat(64 * 1024);
    let left = 256;
    const print = () => left-- > 0 && process.stdout.write(chunk, print);
    print();`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', program],
    env: {},
    interactiveMode: 'Never',
    provideClusterInfo: false,
  } as const;
  const plugin = new ExecPlugin(
    exec,
    { server: 'https://127.0.0.1:1', insecureSkipVerify: false },
    { clock: realClock, hasTerminal: false },
  );
  await expect(plugin.current()).rejects.toThrow('exited with SIGKILL');
});
