import { UsageError } from './usage-error.ts';

export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) {
    throw new UsageError(`Cannot listen on port ${JSON.stringify(text)}: it is not a number from 0 to 65535`);
  }
  return port;
}
