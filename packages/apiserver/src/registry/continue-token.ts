import { badRequestError } from '@pintle/machinery/errors';
import { isJsonObject, parseJson } from '@pintle/machinery/json';

/** Where a paged list goes on: in the snapshot `revision`, or in the newest state when that is undefined. */
export interface ContinueToken {
  readonly revision: number | undefined;
  /** The part of the key after the collection's prefix, from which to read. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';
const NEWEST = -1;
const MAX_TOKEN_LENGTH = 4096;

export function encodeContinue({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision ?? NEWEST, start })).toString('base64url');
}

/** Throws 400 for anything this server did not hand out. */
export function decodeContinue(token: string): ContinueToken {
  const value = parseToken(token);
  if (!isJsonObject(value) || value.v !== VERSION) {
    throw badRequestError('continue key is not valid: server does not recognize this encoded version');
  }
  const { rv, start } = value;
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || rv < NEWEST) {
    throw badRequestError('continue key is not valid: incorrect encoded start resourceVersion');
  }
  // The key is used behind the collection's own prefix, so it cannot reach elsewhere; a NUL only ever ends it.
  if (typeof start !== 'string' || start === '' || (start.indexOf('\0') < start.length - 1 && start.includes('\0'))) {
    throw badRequestError('continue key is not valid: encoded start key is empty or malformed');
  }
  return { revision: rv === NEWEST ? undefined : rv, start };
}

function parseToken(token: string): unknown {
  try {
    if (token.length > MAX_TOKEN_LENGTH) throw new Error('the token is too long');
    return parseJson(Buffer.from(token, 'base64url'));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw badRequestError(`invalid continue token: continue key is not valid: ${message}`);
  }
}
