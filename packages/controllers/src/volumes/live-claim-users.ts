import { type Deferred, deferred } from '@pintle/async';
import type { Client } from '@pintle/client';
import { type PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { eachLive } from '../common/each-live.ts';
import { claimsOf } from './sync-claim.ts';

/** A claim, and what its caller waits for. */
interface Question {
  readonly claim: PersistentVolumeClaim;
  readonly answer: Deferred<boolean>;
}

/**
 * Asks the server whether pods use a claim. Every question is answered by a list that began after it: those of one namespace that
 * come while its pods are read share the next list, so that many claims that go at once do not read all pods once each.
 */
export class LiveClaimUsers {
  readonly #client: Pick<Client, 'list'>;
  readonly #uses: (pod: Pod, claim: PersistentVolumeClaim) => boolean;
  /** Questions for the next list, by namespace. Present while the namespace is read. */
  readonly #waiting = new Map<string, Question[]>();

  constructor(client: Pick<Client, 'list'>, uses: (pod: Pod, claim: PersistentVolumeClaim) => boolean) {
    this.#client = client;
    this.#uses = uses;
  }

  /** Ask about a claim once at a time, as a controller does. */
  isUsed(claim: PersistentVolumeClaim): Promise<boolean> {
    const { namespace = '' } = claim.metadata;
    const question: Question = { claim, answer: deferred<boolean>() };
    const waiting = this.#waiting.get(namespace);
    if (waiting !== undefined) waiting.push(question);
    else void this.#read(namespace, [question]);
    return question.answer.promise;
  }

  async #read(namespace: string, questions: Question[]): Promise<void> {
    for (let asked = questions; asked.length > 0; ) {
      const next: Question[] = [];
      this.#waiting.set(namespace, next);
      try {
        await this.#answer(namespace, asked);
      } catch (error) {
        for (const { answer } of asked) answer.reject(error);
      }
      asked = next;
    }
    this.#waiting.delete(namespace);
  }

  async #answer(namespace: string, questions: readonly Question[]): Promise<void> {
    const open = new Map(questions.map((question) => [question.claim.metadata.name ?? '', question]));
    for await (const pod of eachLive(this.#client, Pod, { ...(namespace && { namespace }) })) {
      for (const name of claimsOf(pod)) {
        const question = open.get(name);
        if (question === undefined || !this.#uses(pod, question.claim)) continue;
        question.answer.resolve(true);
        open.delete(name);
      }
      if (open.size === 0) return;
    }
    for (const { answer } of open.values()) answer.resolve(false);
  }
}
