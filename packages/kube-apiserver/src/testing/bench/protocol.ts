import type { GroupResource, KubernetesObject } from '@pintle/machinery';
import type { KeyPair } from '@pintle/pki';

/** First message to a process of the benchmark. */
export interface StartMessage {
  readonly pair: KeyPair;
  readonly clientCa: string;
  readonly auditLog: string;
  /** Folder of the store; default: in memory. */
  readonly folder?: string;
}

export type Order =
  | { readonly type: 'usage'; readonly isCollected: boolean }
  /** Stores that many objects, bypassing the API. */
  | { readonly type: 'fill'; readonly count: number; readonly prefix: string }
  /** Stores these objects, bypassing the API. */
  | { readonly type: 'put'; readonly resource: GroupResource; readonly objects: readonly KubernetesObject[] }
  /** Sets the response to every request. */
  | { readonly type: 'serve'; readonly status: number; readonly body: string };

/** Resources that a process used since the last message. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly peakRssBytes: number;
  /** Heap and external memory, with garbage that was not collected yet. */
  readonly usedBytes: number;
  readonly peakUsedBytes: number;
  /** The longest block of the event loop, and the longest during which the process used the CPU throughout. */
  readonly stallMs: number;
  readonly busyStallMs: number;
}
