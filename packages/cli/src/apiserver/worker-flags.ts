import type { WorkersOptions } from '../serve/server-processes.ts';
import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

const MAX_PROCESSES = 64;

/** Reads --workers: options for several processes; none when one serves alone. Throws UsageError for anything but a number from 1. */
export function workersOf(flags: ParsedFlags, rootCa: string): { readonly workers?: WorkersOptions } {
  const processes = processesOf(flags);
  if (processes === 1) return {};
  return {
    workers: {
      processes,
      open: async (context) => {
        const { openWorkerPool } = await import('../workers/worker-pool.ts');
        return await openWorkerPool(processes, { flags, rootCa }, context);
      },
    },
  };
}

function processesOf({ values }: ParsedFlags): number {
  const { workers: text = '1' } = values;
  if (/^[1-9]\d?$/.test(text) && Number(text) <= MAX_PROCESSES) return Number(text);
  throw new UsageError(`Cannot use --workers=${text}: it is not a number from 1 to ${MAX_PROCESSES}`);
}
