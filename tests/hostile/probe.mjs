// Loaded into the server under attack with `--import`: measures how long its event loop stands still and how much memory
// it takes, and reports both to the process that started it.
import { readFileSync } from 'node:fs';
import { threadTimer } from '@pintle/async/testing';

const TICK_MS = 20;
const MEMORY_EVERY_TICKS = 10;

let longestBusyStallMs = 0;
let peakMemoryBytes = 0;
let ticks = 0;
let computedMs = threadTimer();

setInterval(() => {
  longestBusyStallMs = Math.max(longestBusyStallMs, computedMs());
  computedMs = threadTimer();
  if (ticks++ % MEMORY_EVERY_TICKS === 0) peakMemoryBytes = Math.max(peakMemoryBytes, memoryBytes());
}, TICK_MS).unref();

process.on('message', (message) => {
  if (message === 'begin') {
    longestBusyStallMs = 0;
    return;
  }
  process.send?.({
    longestBusyStallMs: Math.round(longestBusyStallMs),
    peakMemoryBytes: Math.max(peakMemoryBytes, memoryBytes()),
    isPrototypeClean: Object.keys(Object.prototype).length === 0 && Object.keys(Array.prototype).length === 0,
  });
});
process.channel?.unref();

/** Without the pages of mapped files, where the system tells them apart. */
function memoryBytes() {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.memoryUsage.rss();
}
