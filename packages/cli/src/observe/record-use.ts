import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { ManagerUse } from '@pintle/operator';

// Loaded before a program that runs managers, by `node --import`: writes down what operators among them are seen to do; what
// built-in controllers, the scheduler and nodes do is not theirs. Each process and
// thread has a file of its own, so that none waits for another and none is lost.
const folder = new URL(import.meta.url).searchParams.get('folder');
if (folder !== null) {
  const path = join(folder, `${process.pid}-${threadId}.jsonl`);
  const written = new Set<string>();
  subscribe('pintle:use', (use) => {
    if ((use as ManagerUse).isControlPlane) return;
    const line = JSON.stringify(use);
    if (written.has(line)) return;
    written.add(line);
    appendFileSync(path, `${line}\n`);
  });
}
