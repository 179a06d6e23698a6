import type { KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';
import { isForbidden, isUnauthorized } from '@pintle/machinery/errors';
import { Reflector } from '../informer/reflector.ts';
import { compareResourceVersions } from '../informer/resource-version.ts';
import type { Client } from '../rest/client.ts';
import { withDeadline } from '../rest/deadline.ts';
import type { ObjectRef, RefOf } from '../rest/resource-path.ts';

export interface WaitOptions {
  /** Time after which it rejects with a `ClientError` of code TimedOut. Default: 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Resolves with the object once `condition` is true, checked at once and after each watch event. `condition` gets `undefined`
 * while the object does not exist. May miss a state that lasts only a moment.
 */
export async function waitFor<T extends KubernetesObject, S extends Scope = Scope>(
  client: Client,
  type: ResourceType<T, S>,
  ref: RefOf<S>,
  condition: (object: Stored<T, S> | undefined) => boolean,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: WaitOptions = {},
): Promise<Stored<T, S> | undefined> {
  const what = `${type.kind} ${ref.namespace ? `${ref.namespace}/` : ''}${ref.name}`;
  return await withDeadline(client.clock, { timeoutMs, signal, what }, async (deadline) => {
    const found = await client.find(type, ref, { signal: deadline });
    if (condition(found)) return found;
    return await follow(client, type, ref, condition, found?.metadata.resourceVersion ?? '0', deadline);
  });
}

/** Resolves when the object is gone; with `uid`, also when another object has its name. */
export async function untilDeleted<T extends KubernetesObject, S extends Scope = Scope>(
  client: Client,
  type: ResourceType<T, S>,
  ref: RefOf<S> & { readonly uid?: string },
  options?: WaitOptions,
): Promise<void> {
  const { uid } = ref;
  const isGone = (object: KubernetesObject | undefined) =>
    object === undefined || (uid !== undefined && object.metadata.uid !== uid);
  await waitFor(client, type, ref, isGone, options);
}

/** Ignores a list that is older than the object that was already read. */
async function follow<T extends KubernetesObject, S extends Scope>(
  client: Client,
  type: ResourceType<T, S>,
  { namespace, name }: ObjectRef,
  condition: (object: Stored<T, S> | undefined) => boolean,
  since: string,
  signal: AbortSignal,
): Promise<Stored<T, S> | undefined> {
  const done = new AbortController();
  let result: { readonly object: Stored<T, S> | undefined } | { readonly error: unknown } | undefined;
  const end = (with_: NonNullable<typeof result>): void => {
    result ??= with_;
    done.abort();
  };
  const check = (object: Stored<T, S> | undefined): void => {
    try {
      if (condition(object)) end({ object });
    } catch (error) {
      end({ error });
    }
  };
  const reflector = new Reflector<Stored<T, S>>({
    client,
    type: type as unknown as ResourceType<Stored<T, S>>,
    clock: client.clock,
    select: { namespace, fieldSelector: `metadata.name=${name}` },
    onError: (error) => {
      if (isForbidden(error) || isUnauthorized(error)) end({ error });
    },
    sink: {
      replace: ([found], resourceVersion) => {
        if ((compareResourceVersions(resourceVersion, since) ?? 0) >= 0) check(found?.value);
      },
      apply: ({ type, object }) => check(type === 'DELETED' ? undefined : object.value),
      progress: () => undefined,
    },
  });
  await reflector.run({ signal: AbortSignal.any([signal, done.signal]) });
  if (result === undefined) throw signal.reason;
  if ('error' in result) throw result.error;
  return result.object;
}
