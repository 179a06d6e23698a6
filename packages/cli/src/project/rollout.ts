import type { Client, NamespacedRef } from '@pintle/client';
import { ClientError, waitFor } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { UsageError } from '../usage-error.ts';
import type { Report } from './report.ts';
import { whyNotRunning } from './why-not-running.ts';

/** How often somebody who waits is told why. */
const LOOK_MS = 3_000;

/** Resolves when all pods of a Deployment are new and run. Shows how far it is, and why it is no further. */
export async function untilRolledOut(
  client: Client,
  ref: NamespacedRef,
  { report, timeoutMs }: { readonly report: Report; readonly timeoutMs: number },
): Promise<void> {
  const progress = new Progress(ref.name, report);
  const deadline = client.clock.now() + timeoutMs;
  for (;;) {
    const leftMs = deadline - client.clock.now();
    try {
      const options = { timeoutMs: Math.max(1, Math.min(LOOK_MS, leftMs)) };
      await waitFor(client, Deployment, ref, (deployment) => progress.see(deployment), options);
      return;
    } catch (error) {
      if (!(error instanceof ClientError && error.failure.code === 'TimedOut')) throw error;
    }
    const why = await whyNotRunning(client, progress.last);
    progress.explain(why);
    if (leftMs <= LOOK_MS) throw tooLong(ref, progress.text, timeoutMs);
  }
}

function tooLong({ namespace, name }: NamespacedRef, progress: string, timeoutMs: number): UsageError {
  return new UsageError(
    `The operator did not start within ${timeoutMs / 1000} s: ${progress.replace(/\.?$/, '.').replace(/\?\.$/, '?')} ` +
      `Everything is applied and stays; look with: kubectl describe pods -n ${namespace} -l app.kubernetes.io/name=${name}`,
  );
}

class Progress {
  last: Deployment | undefined;
  readonly #name: string;
  readonly #report: Report;
  #count = '';
  #why = '';
  #shown = '';

  constructor(name: string, report: Report) {
    this.#name = name;
    this.#report = report;
  }

  get text(): string {
    return this.#why === '' ? this.#count : `${this.#count}; ${this.#why}`;
  }

  /** Whether it is done. */
  see(deployment: Deployment | undefined): boolean {
    this.last = deployment;
    const { replicas = 1 } = deployment?.spec ?? {};
    const {
      observedGeneration = 0,
      updatedReplicas = 0,
      availableReplicas = 0,
      replicas: all = 0,
    } = deployment?.status ?? {};
    const isSeen = observedGeneration >= (deployment?.metadata.generation ?? 1);
    const isDone = isSeen && updatedReplicas >= replicas && availableReplicas >= replicas && all <= updatedReplicas;
    const count = `${Math.min(availableReplicas, isSeen ? updatedReplicas : 0)} of ${replicas} run`;
    if (count !== this.#count || isDone) this.#why = '';
    this.#count = count;
    this.#show();
    return isDone;
  }

  explain(why: string): void {
    this.#why = why;
    this.#show();
  }

  #show(): void {
    if (this.text === this.#shown) return;
    this.#shown = this.text;
    this.#report.progress(`  ${this.#name}: ${this.text}`);
  }
}
