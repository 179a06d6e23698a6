import { type Clock, onAbort } from '@pintle/async';
import { type Revision, toRevision } from '@pintle/store';
import type { Cluster } from './rpc/cluster.ts';
import { TARGET } from './rpc/messages.ts';
import { COMPACT, TXN, type TxnRequest } from './rpc/methods.ts';
import { RpcError } from './rpc/rpc-error.ts';

/** Key on which the users of an etcd agree who compacts it, as Kubernetes has it: outside of every prefix. */
export const COMPACT_KEY = Buffer.from('compact_rev_key');

const TIMEOUT_MS = 5_000;

interface CompactionOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly intervalMs: number;
}

/**
 * Compacts etcd together with all servers that share it, kube-apiserver included: once in an interval, the server that
 * finds the agreed key as it last saw it writes it, and compacts up to the revision of an interval ago. The others
 * learn the version of the key and the revision at that time, and try again an interval later. History of one to two
 * intervals is kept.
 */
export class SharedCompaction {
  readonly #options: CompactionOptions;
  /** Version of the key when this server last read it. */
  #version = 0;
  /** Revision of history at that time. */
  #revision = 0;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Resolves once `signal` has aborted. After a failure the next attempt, of this server or another, catches up. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#pause(signal);
      if (!signal.aborted) await this.takeTurn().catch(() => undefined);
    }
  }

  /** Returns the revision before which history was compacted, when it was this server's turn. */
  async takeTurn(): Promise<Revision | undefined> {
    const { cluster } = this.#options;
    const answer = await cluster.write(TXN, TXN.encode(claim(this.#version, this.#revision)), {
      timeoutMs: TIMEOUT_MS,
    });
    const before = this.#revision;
    this.#revision = answer.header.revision;
    if (!answer.succeeded) {
      this.#version = answer.responses[0]?.range?.kvs[0]?.version ?? 0;
      return undefined;
    }
    this.#version++;
    if (before === 0) return undefined;
    await compactAt(cluster, before);
    return toRevision(before);
  }

  /** Sleeps without keeping the process alive. */
  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(this.#options.intervalMs, () => {
        listener[Symbol.dispose]();
        resolve();
      });
      const listener = onAbort(signal, () => {
        timer.cancel();
        resolve();
      });
    });
  }
}

/** Compacts history before `revision`. Ignores that it is compacted already. */
export async function compactAt(cluster: Cluster, revision: number): Promise<void> {
  try {
    await cluster.read(COMPACT, { revision }, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof RpcError) || !error.isCompacted) throw error;
  }
}

function claim(version: number, revision: number): TxnRequest {
  return {
    compare: [{ target: TARGET.version, key: COMPACT_KEY, version }],
    success: [{ put: { key: COMPACT_KEY, value: Buffer.from(String(revision)) } }],
    failure: [{ range: { key: COMPACT_KEY } }],
  };
}

/** Returns the revision in the agreed key; 0 when it has none. */
export function readCompacted(value: Uint8Array): Revision {
  const text = Buffer.from(value).toString('latin1');
  return toRevision(/^\d{1,15}$/.test(text) ? Number(text) : 0);
}
