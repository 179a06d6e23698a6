import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

// Loaded before a program that runs managers, by `node --import`: writes down what they are seen to do. Each process and
// thread has a file of its own, so that none waits for another and none is lost.
const folder = new URL(import.meta.url).searchParams.get('folder');
if (folder !== null) {
  const path = join(folder, `${process.pid}-${threadId}.jsonl`);
  const written = new Set<string>();
  subscribe('pintle:use', (use) => {
    const line = JSON.stringify(use);
    if (written.has(line)) return;
    written.add(line);
    appendFileSync(path, `${line}\n`);
  });
}
