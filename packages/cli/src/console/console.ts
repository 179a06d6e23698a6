import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connect, loadConfig } from '@pintle/client';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

interface ConsoleOptions {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly print?: boolean;
}

/** Asks the server for a link that logs this person in, and opens it. */
export async function openConsole({ context, kubeconfig = nearestKubeconfig(), print }: ConsoleOptions): Promise<void> {
  const config = await loadConfig({ ...(context && { context }), ...(kubeconfig && { kubeconfig }) });
  const client = await connect(config, { userAgent: 'pintle' });
  try {
    const { status, body } = await client.send({
      method: 'POST',
      path: '/console/link',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{}'),
    });
    const answer = await readJson(body);
    if (status === 404) throw new UsageError('Cannot open the console: that server has none');
    if (status !== 201) throw new UsageError(`Cannot open the console: ${terminalText(`${answer.message ?? status}`)}`);
    const url = new URL(`${answer.path}`, config.cluster.server).href;
    process.stdout.write(`${url}\n`);
    if (!print) open(url);
  } finally {
    await client.close();
  }
}

/** That of the server whose data lies in this folder, unless the environment names another. */
function nearestKubeconfig(): string | undefined {
  const own = join('.pintle', 'kubeconfig');
  return process.env.KUBECONFIG === undefined && existsSync(own) ? own : undefined;
}

async function readJson(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return {};
  }
}

/** Opens the browser, if there is one; the link is on the screen in any case. */
function open(url: string): void {
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(command, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
