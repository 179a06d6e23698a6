import type { Client, NamespacedRef } from '@pintle/client';
import { ClientError, waitFor } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import { UsageError } from '../usage-error.ts';
import type { Report } from './report.ts';
import { lastLines, whyNotRunning } from './why-not-running.ts';

/** Interval of progress lines. */
const POLL_MS = 3_000;
/** Time that all pods have to stay ready: without a probe, a program that fails at its start is ready at first. */
const STEADY_MS = 3_000;

/**
 * Resolves when all pods of a Deployment are updated and stay available. Reports the progress, and what blocks it. The error
 * of a timeout ends with the last log lines of a failed container.
 */
export async function untilRolledOut(
  client: Client,
  ref: NamespacedRef,
  {
    report,
    timeoutMs,
    steadyMs = STEADY_MS,
  }: { readonly report: Report; readonly timeoutMs: number; readonly steadyMs?: number },
): Promise<void> {
  const progress = new Progress(ref.name, report);
  const deadline = client.clock.now() + timeoutMs;
  for (;;) {
    const leftMs = deadline - client.clock.now();
    try {
      const options = { timeoutMs: Math.max(1, Math.min(POLL_MS, leftMs)) };
      await waitFor(client, Deployment, ref, (deployment) => progress.update(deployment), options);
      if (steadyMs === 0 || (await isSteady(client, ref, progress, steadyMs))) return;
    } catch (error) {
      if (!(error instanceof ClientError && error.failure.code === 'TimedOut')) throw error;
    }
    const why = await whyNotRunning(client, progress.last);
    progress.explain(why);
    if (leftMs > POLL_MS) continue;
    throw timedOut(ref, { progress: progress.text, timeoutMs, lines: await lastLines(client, progress.last) });
  }
}

/** Returns true when all pods stay available for the time. */
async function isSteady(client: Client, ref: NamespacedRef, progress: Progress, withinMs: number): Promise<boolean> {
  try {
    const isLost = (deployment: Deployment | undefined): boolean => !progress.update(deployment);
    await waitFor(client, Deployment, ref, isLost, { timeoutMs: withinMs });
    return false;
  } catch (error) {
    if (error instanceof ClientError && error.failure.code === 'TimedOut') return true;
    throw error;
  }
}

function timedOut(
  { namespace, name }: NamespacedRef,
  {
    progress,
    timeoutMs,
    lines,
  }: { readonly progress: string; readonly timeoutMs: number; readonly lines: readonly string[] },
): UsageError {
  const log =
    lines.length === 0 ? '' : `\nLast lines of the container:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new UsageError(
    `The operator did not start within ${timeoutMs / 1000} s: ${progress.replace(/\.?$/, '.').replace(/\?\.$/, '?')} ` +
      `All objects are applied. To look at the pods: kubectl describe pods -n ${namespace} -l app.kubernetes.io/name=${name}${log}`,
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

  /** Returns true when the rollout is complete. */
  update(deployment: Deployment | undefined): boolean {
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
    const count = `${Math.min(availableReplicas, isSeen ? updatedReplicas : 0)} of ${replicas} available`;
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
