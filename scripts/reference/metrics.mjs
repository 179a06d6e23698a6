// Runs a server with its controllers, and writes down the metrics that both expose.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../free-port.mjs';

const root = join(import.meta.dirname, '..', '..', 'packages');

/** Returns the page of metrics. */
export async function metricsPage() {
  const [server, manager] = await expositions();
  return [
    '# Metrics',
    'Generated from the answers of a running `pintle up --controller-metrics`. Names and labels are those of Kubernetes and ' +
      'controller-runtime where these have them.',
    `## The API server\n\n${tableOf(server)}`,
    `## Managers\n\nOperators, and the built-in controllers.\n\n${tableOf(manager)}`,
  ].join('\n\n');
}

async function expositions() {
  const folder = mkdtempSync(join(tmpdir(), 'pintle-metrics-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const port = await freePort();
  const args = ['up', '--memory', '--port', '0', '--kubeconfig', kubeconfig, '--controller-metrics', `${port}`];
  const child = spawn(process.execPath, [join(root, 'cli', 'dist', 'main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    let output = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += text;
      if (output.includes('Press Ctrl-C')) break;
    }
    const { connect, loadConfig } = await import(pathToFileURL(join(root, 'client', 'dist', 'index.js')));
    const client = await connect(await loadConfig({ kubeconfig }));
    const { body } = await client.send({ method: 'GET', path: '/metrics' });
    const chunks = [];
    for await (const chunk of body) chunks.push(chunk);
    await client.close();
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    return [Buffer.concat(chunks).toString('utf8'), await response.text()];
  } finally {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

function tableOf(text) {
  const rows = metricsOf(text).map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replaceAll('|', '\\|')} |`,
  );
  return ['| name | type | labels | |', '|---|---|---|---|', ...rows].join('\n');
}

/** Returns the metrics of a text in the format of Prometheus. Labels are those of the samples that are there. */
export function metricsOf(text) {
  const metrics = new Map();
  for (const line of text.split('\n')) {
    const [, word, name, rest] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (word !== undefined) {
      const metric = metrics.get(name) ?? { name, type: '', labels: [], help: '' };
      metrics.set(name, { ...metric, [word === 'HELP' ? 'help' : 'type']: rest });
      continue;
    }
    const [, sample, pairs] = /^([^\s{]+)\{(.*)\} /.exec(line) ?? [];
    const metric = sample && (metrics.get(sample) ?? metrics.get(sample.replace(/_(?:bucket|sum|count)$/, '')));
    if (!metric) continue;
    for (const [, label] of pairs.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g))
      if (label !== 'le' && !metric.labels.includes(label)) metric.labels.push(label);
  }
  return [...metrics.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
