import { isAlreadyExists } from '@pintle/machinery/errors';
import { ClientError } from '../errors.ts';

/** So many names are tried for one event. */
const MAX_NAMES = 5;

/** The name of an event until it is created: it changes when another event has it already. */
export interface NamedEvent {
  name: string;
  /** An answer was lost: an event of this name may be this one. */
  isMaybeCreated: boolean;
}

/**
 * Creates an event by `create`, which is given its name; under another name when the first one is taken. An event that
 * an earlier try created without the answer arriving is not created twice.
 */
export async function createEvent(
  named: NamedEvent,
  create: (name: string) => Promise<unknown>,
  another: () => string,
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
    named.name = another();
  }
}

function isMaybeSent(error: unknown): boolean {
  return error instanceof ClientError && !(error.failure.code === 'Unreachable' && !error.failure.isSent);
}
