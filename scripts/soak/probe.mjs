// Loaded into a process under test with `--import` and `--expose-gc`: reports its memory after a collection, and what it holds open.
import { readdirSync, readFileSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';

process.on('message', (message) => {
  if (typeof message === 'object' && message.snapshot !== undefined) {
    writeHeapSnapshot(message.snapshot);
    process.send({});
  }
  if (message !== 'sample') return;
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  process.send({ heapBytes: heapUsed, externalBytes: external + arrayBuffers, rssBytes: rss(), open: openResources() });
});
process.channel?.unref();

/** Without the pages of mapped files, where the system tells them apart. */
function rss() {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.memoryUsage.rss();
}

/** Counts what keeps the process awake by type, and file descriptors. */
function openResources() {
  const counts = {};
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1;
  try {
    counts['file descriptors'] = readdirSync('/proc/self/fd').length;
  } catch {
    // Not Linux.
  }
  return counts;
}
