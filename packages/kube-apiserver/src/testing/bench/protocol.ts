import type { KeyPair } from '@pintle/pki';

/** How a process of the bench is started; its first message. */
export interface StartMessage {
  readonly pair: KeyPair;
  readonly clientCa: string;
  readonly auditLog: string;
  /** Where objects are kept durably; without it in memory. */
  readonly folder?: string;
}

export type Order =
  | { readonly type: 'usage'; readonly isCollected: boolean }
  /** Stores so many objects without the API in between. */
  | { readonly type: 'fill'; readonly count: number; readonly prefix: string }
  /** From now on, every request is answered with these bytes. */
  | { readonly type: 'serve'; readonly status: number; readonly body: string };

/** What a process used since it was asked last. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly peakRssBytes: number;
  /** Objects and bytes, with garbage that was not collected yet. */
  readonly usedBytes: number;
  readonly peakUsedBytes: number;
  /** The longest time the event loop did not turn, and the longest in which the process was computing throughout. */
  readonly stallMs: number;
  readonly busyStallMs: number;
}
