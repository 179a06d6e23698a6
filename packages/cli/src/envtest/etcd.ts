#!/usr/bin/env node
import { createServer } from 'node:http';

/**
 * Stands in for etcd in envtest, which waits for one: takes its flags, answers `/health`, and ends on a signal. The
 * kube-apiserver beside it never writes to it.
 */
const HELP = `Usage:

  etcd [flags]
    Answer /health. Stores nothing: the kube-apiserver beside it keeps its objects in memory.

  --advertise-client-urls URLS
  --data-dir DIR
  --listen-client-urls URLS   Addresses to listen on (default: http://localhost:2379)
  --listen-peer-urls URLS
  --name NAME
  --unsafe-no-fsync
`;

const POLL_MS = 1_000;

const args = process.argv.slice(2);
if (args.some((arg) => arg === '--help' || arg === '-h' || arg === 'help')) process.stdout.write(HELP);
else if (args.includes('--version')) process.stdout.write('etcd Version: 3.6.0 (pintle)\n');
else listen();

function listen(): void {
  const server = createServer((request, response) => {
    const isHealth = request.url?.split('?')[0] === '/health';
    response.writeHead(isHealth ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isHealth ? '{"health":"true","reason":""}' : '{}');
  });
  server.on('error', (error) => {
    process.stderr.write(`etcd: ${error.message}\n`);
    process.exitCode = 1;
  });
  const [first = ''] = flagValue('listen-client-urls', 'http://localhost:2379').split(',');
  const { hostname, port } = new URL(first);
  server.listen(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'));
  const end = (): void => {
    server.close();
    server.closeAllConnections();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  endWithParent(end);
}

/** Calls `end` when the parent is gone: then the process has another parent. */
function endWithParent(end: () => void): void {
  const parent = Number(flagValue('exit-with-parent', String(process.ppid)));
  const poll = (): void => {
    if (process.ppid !== parent) end();
    else setTimeout(poll, POLL_MS).unref();
  };
  poll();
}

/** Reads `--name=value` or `--name value`; the last one wins. */
function flagValue(name: string, fallback: string): string {
  return args.reduce((found, arg, index) => {
    if (arg.startsWith(`--${name}=`)) return arg.slice(name.length + 3);
    return arg === `--${name}` ? (args[index + 1] ?? found) : found;
  }, fallback);
}
