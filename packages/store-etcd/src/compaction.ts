import { type Clock, onAbort } from '@pintle/async';
import { type Revision, toRevision } from '@pintle/store';
import type { Cluster } from './rpc/cluster.ts';
import { TARGET } from './rpc/messages.ts';
import { COMPACT, TXN, type TxnAsk } from './rpc/methods.ts';
import { RpcError } from './rpc/rpc-error.ts';

/** Where those who share an etcd agree on who compacts it, as Kubernetes has it: outside of every prefix. */
export const COMPACT_KEY = Buffer.from('compact_rev_key');

const TIMEOUT_MS = 5_000;

interface CompactionOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly intervalMs: number;
}

/**
 * Compacts etcd together with all who share it, kube-apiserver included: once in an interval, whoever finds the agreed key
 * as they left it writes it, and compacts what it saw an interval ago. The others learn how often it was written and
 * where history was then, and try again an interval later. History of one to two intervals is kept.
 */
export class SharedCompaction {
  readonly #options: CompactionOptions;
  /** How often the key was written when this server last looked. */
  #turn = 0;
  /** Where history was then. */
  #seen = 0;

  constructor(options: CompactionOptions) {
    this.#options = options;
  }

  /** Resolves once `signal` has aborted. A failure is made good by the next turn, of this server or another. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#pause(signal);
      if (!signal.aborted) await this.takeTurn().catch(() => undefined);
    }
  }

  /** The revision before which history was forgotten, when it was this server's turn to. */
  async takeTurn(): Promise<Revision | undefined> {
    const { cluster } = this.#options;
    const answer = await cluster.write(TXN, TXN.encode(claim(this.#turn, this.#seen)), { timeoutMs: TIMEOUT_MS });
    const before = this.#seen;
    this.#seen = answer.header!.revision;
    if (!answer.succeeded) {
      this.#turn = answer.responses[0]?.range?.kvs[0]?.version ?? 0;
      return undefined;
    }
    this.#turn++;
    if (before === 0) return undefined;
    await compactAt(cluster, before);
    return toRevision(before);
  }

  /** Unlike a sleep it does not keep the process alive. */
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

/** Forgets history before `revision`; nothing where that is forgotten already. */
export async function compactAt(cluster: Cluster, revision: number): Promise<void> {
  try {
    await cluster.read(COMPACT, { revision }, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof RpcError) || !error.isCompacted) throw error;
  }
}

function claim(turn: number, seen: number): TxnAsk {
  return {
    compare: [{ target: TARGET.version, key: COMPACT_KEY, version: turn }],
    success: [{ put: { key: COMPACT_KEY, value: Buffer.from(String(seen)) } }],
    failure: [{ range: { key: COMPACT_KEY } }],
  };
}

/** The revision that the agreed key names; 0 for none. */
export function readCompacted(value: Uint8Array): Revision {
  const text = Buffer.from(value).toString('latin1');
  return toRevision(/^\d{1,15}$/.test(text) ? Number(text) : 0);
}
