import { isAlreadyExists } from '@pintle/machinery/errors';
import { ClientError } from '../errors.ts';

/** Names tried for one event. */
const MAX_NAMES = 5;

/** Name of an event that is not created yet; changes when another event already has it. */
export interface NamedEvent {
  name: string;
  /** True when a response was lost: an existing event of this name may be this one. */
  isMaybeCreated: boolean;
}

/**
 * Creates an event with `create`, under another name when the first one is taken. Does not create it twice when an earlier
 * try succeeded and its response was lost.
 */
export async function createEvent(
  named: NamedEvent,
  create: (name: string) => Promise<unknown>,
  nextName: () => string,
): Promise<void> {
  for (let names = 1; ; names++) {
    try {
      await create(named.name);
      return;
    } catch (error) {
      if (isMaybeSent(error)) named.isMaybeCreated = true;
      if (!isAlreadyExists(error)) throw error;
      if (named.isMaybeCreated) return;
      if (names === MAX_NAMES) throw error;
    }
    named.name = nextName();
  }
}

function isMaybeSent(error: unknown): boolean {
  return error instanceof ClientError && !(error.failure.code === 'Unreachable' && !error.failure.isSent);
}
