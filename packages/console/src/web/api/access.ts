import { api } from './http.ts';
import type { Kind } from './kinds.ts';
import { record } from './objects.ts';

const KEEP_MS = 60_000;
const known = new Map<string, { readonly answer: Promise<boolean>; readonly untilMs: number }>();

export interface Question {
  readonly verb: string;
  readonly kind: Pick<Kind, 'group' | 'resource'>;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Asks the server whether the session's user may do something. Answers are kept for a minute. */
export function may({ verb, kind: { group, resource }, namespace = '', name = '' }: Question): Promise<boolean> {
  const key = JSON.stringify([verb, group, resource, namespace, name]);
  const kept = known.get(key);
  if (kept !== undefined && kept.untilMs > Date.now()) return kept.answer;
  const answer = ask({ verb, group, resource, namespace, name }).catch(() => {
    known.delete(key);
    return false;
  });
  if (known.size > 2000) known.clear();
  known.set(key, { answer, untilMs: Date.now() + KEEP_MS });
  return answer;
}

async function ask(resourceAttributes: Record<string, string>): Promise<boolean> {
  const review = await api('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    method: 'POST',
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    }),
  });
  return record(record(review)?.status)?.allowed === true;
}
