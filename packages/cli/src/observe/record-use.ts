import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { ManagerAccess } from '@pintle/operator';

// Loaded into processes that run managers, by `node --import`. Records the API requests of operators, without those of
// built-in controllers, the scheduler and nodes. Each process and thread writes to its own file: no lock, and no lost line.
const folder = new URL(import.meta.url).searchParams.get('folder');
if (folder !== null) {
  const path = join(folder, `${process.pid}-${threadId}.jsonl`);
  const written = new Set<string>();
  subscribe('pintle:use', (use) => {
    if ((use as ManagerAccess).isControlPlane) return;
    const line = JSON.stringify(use);
    if (written.has(line)) return;
    written.add(line);
    appendFileSync(path, `${line}\n`);
  });
}
