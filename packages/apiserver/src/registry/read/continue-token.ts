import { badRequestError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson } from '@pintle/machinery/json';
import { unmarshal } from '../../compat/go-messages.ts';

/** Position where a paged list continues: at the snapshot `revision`, or in the newest state when that is undefined. */
export interface ContinueToken {
  readonly revision: number | undefined;
  /** First key to read, without the prefix of the collection. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';
const NEWEST = -1;
const MAX_TOKEN_LENGTH = 4096;

/**
 * Encodes a token as Kubernetes does, so that either server can continue a list of the other: keys begin with a slash.
 */
export function encodeContinue({ revision, start }: ContinueToken): string {
  const token = { v: VERSION, rv: revision ?? NEWEST, start: `/${start}` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Decodes a token. Throws 400 for anything that no server issues. */
export function decodeContinue(token: string): ContinueToken {
  const { v = '', rv = 0, start: sent = '' } = readFields(parseToken(token));
  if (v !== VERSION) throw notValid(`server does not recognize this encoded version ${v}`);
  if (!Number.isSafeInteger(rv) || rv === 0) {
    throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (sent === '') throw notValid(`encoded start key empty (version ${VERSION})`);
  const start = sent.startsWith('/') ? sent.slice(1) : sent;
  if (!isClean(start)) throw notValid(sent);
  return { revision: rv < 0 ? undefined : rv, start };
}

/** True when the key cannot leave the prefix of the collection; a NUL may only be the last character. */
function isClean(start: string): boolean {
  const hasInnerEnd = start.slice(0, -1).includes('\0');
  return !hasInnerEnd && start.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

const FIELDS = { v: ['string', 'string'], rv: ['number', 'int64'], start: ['string', 'string'] } as const;

function readFields(value: unknown): { readonly v?: string; readonly rv?: number; readonly start?: string } {
  if (value === null) return {};
  if (!isJsonObject(value as JsonValue)) {
    throw notValid(`${unmarshal(value as JsonValue)} Go value of type storage.continueToken`);
  }
  const fields = value as JsonObject;
  for (const [name, [type, goType]] of Object.entries(FIELDS)) {
    const field = fields[name];
    if (field === undefined || field === null || typeof field === type) continue;
    throw notValid(`${unmarshal(field)} Go struct field continueToken.${name} of type ${goType}`);
  }
  return fields as ReturnType<typeof readFields>;
}

function parseToken(token: string): unknown {
  if (token.length > MAX_TOKEN_LENGTH) throw notValid('the token is too long');
  const foreign = /[^\w\r\n-]/.exec(token);
  if (foreign !== null) throw notValid(`illegal base64 data at input byte ${foreign.index}`);
  // One character alone is less than a byte.
  if (token.length % 4 === 1) throw notValid(`illegal base64 data at input byte ${token.length - 1}`);
  try {
    return parseJson(Buffer.from(token, 'base64url'));
  } catch (error) {
    throw notValid(error instanceof Error ? error.message : String(error));
  }
}

function notValid(why: string): Error {
  return badRequestError(`invalid continue token: continue key is not valid: ${why}`);
}
