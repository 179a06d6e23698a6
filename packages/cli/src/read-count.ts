import { UsageError } from './usage-error.ts';

const MOST = 250;

export function readCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= MOST))
    throw new UsageError(`Cannot count to ${JSON.stringify(text)}: it is not a number from 0 to ${MOST}`);
  return count;
}
