import type { FieldError } from '@pintle/machinery/errors';
import { badRequestError, invalid, invalidError, notSupported } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { isJsonObject, parseJsonStrict, type StrictJson } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { compileTyped, TypedReadError } from '@pintle/machinery/schema';
import { NO_TYPE, typeProblem } from '../../compat/go-messages.ts';
import { notRegistered, SCHEMES } from '../../compat/schemes.ts';
import { bodyFormat } from '../../http/read-body.ts';
import { isTrue } from '../../request/request-info.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { DeleteOptions, PropagationPolicy } from '../../resource/options.ts';
import { checkDryRun, readInteger, refuse } from '../../resource/options.ts';
import { readBodyBytes } from './read-body.ts';

const POLICIES = ['Foreground', 'Background', 'Orphan'];

/** Reads the options from the body, or from the query when there is no body. */
export async function readDeleteOptions(context: RequestContext): Promise<DeleteOptions> {
  const bytes = await readBodyBytes(context);
  return toDeleteOptions(bytes.length === 0 ? fromQuery(context.query) : await fromBody(context, bytes));
}

/** Throws 422 for invalid or contradictory options. */
export function toDeleteOptions(raw: JsonObject): DeleteOptions {
  checkDeleteOptions(raw);
  return uncheckedDeleteOptions(raw);
}

/** Throws like `toDeleteOptions`, for callers that read the options later. */
export function checkDeleteOptions(raw: JsonObject): void {
  refuse('DeleteOptions', [
    ...checkPolicy(policyIn(raw), raw.orphanDependents),
    ...checkDryRun(dryRunIn(raw)),
    ...checkUnsafe(raw),
  ]);
}

const UNSAFE = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** Returns the options that cannot be combined with deleting an unreadable object. */
function checkUnsafe(raw: JsonObject): FieldError[] {
  if (raw[UNSAFE] !== true) return [];
  const others: [name: string, isSet: boolean][] = [
    ['dryRun', dryRunIn(raw).length > 0],
    ['propagationPolicy', policyIn(raw) !== undefined],
    ['orphanDependents', typeof raw.orphanDependents === 'boolean'],
    ['gracePeriodSeconds', typeof raw.gracePeriodSeconds === 'number'],
    ['preconditions', isJsonObject(raw.preconditions)],
  ];
  return others
    .filter(([, isSet]) => isSet)
    .map(([name]) => invalid(UNSAFE, true, `cannot be set together with .${name}`));
}

/** Throws 422 for an object that can be read, or for a whole collection. */
export function refuseUnsafe(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  why: string,
): never {
  throw invalidError(kind, name, [invalid(UNSAFE, true, why)]);
}

function policyIn({ propagationPolicy }: JsonObject): string | undefined {
  return typeof propagationPolicy === 'string' ? propagationPolicy : undefined;
}

function dryRunIn({ dryRun }: JsonObject): string[] {
  return Array.isArray(dryRun) ? dryRun.map(String) : [];
}

/** Returns the options without validation. */
export function uncheckedDeleteOptions(raw: JsonObject): DeleteOptions {
  const policy = policyIn(raw);
  return {
    isDryRun: dryRunIn(raw).length > 0,
    ...(typeof raw.gracePeriodSeconds === 'number' && { gracePeriodSeconds: raw.gracePeriodSeconds }),
    ...(policy !== undefined && { propagationPolicy: policy as PropagationPolicy }),
    ...(typeof raw.orphanDependents === 'boolean' && { orphanDependents: raw.orphanDependents }),
    ...(raw[UNSAFE] === true && { ignoresReadError: true }),
    ...(isJsonObject(raw.preconditions) && { preconditions: preconditionsIn(raw.preconditions) }),
  };
}

function preconditionsIn({ uid, resourceVersion }: JsonObject): NonNullable<DeleteOptions['preconditions']> {
  return { ...(typeof uid === 'string' && { uid }), ...(typeof resourceVersion === 'string' && { resourceVersion }) };
}

function fromQuery(query: URLSearchParams): JsonObject {
  const seconds = readInteger(query, 'gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  const policy = query.get('propagationPolicy');
  const [uid, resourceVersion] = [query.get('uid') || null, query.get('resourceVersion') || null];
  return {
    ...(query.has('dryRun') && { dryRun: query.getAll('dryRun') }),
    ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(query.has(UNSAFE) && { [UNSAFE]: isTrue(query.get(UNSAFE)) }),
    ...((uid ?? resourceVersion) && { preconditions: { uid, resourceVersion } }),
  };
}

async function fromBody(context: RequestContext, bytes: Uint8Array): Promise<JsonObject> {
  const format = bodyFormat(context.request, ['json', 'yaml', 'protobuf']);
  const { value, floats } = await parseOptions(bytes, format);
  if (!isJsonObject(value)) throw badRequestError(typeProblem(value) ?? 'the body of the request is no DeleteOptions');
  const kind = value.kind ?? 'DeleteOptions';
  if (kind !== 'DeleteOptions') {
    throw badRequestError(notRegistered(String(kind), String(value.apiVersion || 'meta.k8s.io/v1'), SCHEMES.options));
  }
  return readTyped(value, floats);
}

/** Compiled with the first options that a client sends. */
let reader: ReturnType<typeof compileTyped> | undefined;

function readTyped(value: JsonObject, floats: Parsed['floats']): JsonObject {
  try {
    reader ??= compileTyped(OPTIONS);
    return reader.read(value, floats && { floats }).value;
  } catch (error) {
    if (error instanceof TypedReadError) throw badRequestError(error.message);
    throw error;
  }
}

const TEXT: Schema = { type: 'string', goType: 'string' };
const BOOLEAN: Schema = { type: 'boolean', goType: 'bool' };
const OPTIONS: Schema = {
  type: 'object',
  goType: 'v1.DeleteOptions',
  properties: {
    kind: TEXT,
    apiVersion: TEXT,
    gracePeriodSeconds: { type: 'integer', format: 'int64', goType: 'int64' },
    preconditions: {
      type: 'object',
      goType: 'v1.Preconditions',
      properties: { uid: { type: 'string', goType: 'types.UID' }, resourceVersion: TEXT },
    },
    orphanDependents: BOOLEAN,
    propagationPolicy: { type: 'string', goType: 'v1.DeletionPropagation' },
    dryRun: { type: 'array', items: TEXT, goType: '[]string' },
    [UNSAFE]: BOOLEAN,
  },
};

type Parsed = Pick<StrictJson, 'value' | 'floats'>;

async function parseOptions(bytes: Uint8Array, format: 'json' | 'yaml' | 'protobuf'): Promise<Parsed> {
  try {
    if (format === 'json') {
      const { value, floats } = parseJsonStrict(bytes, { reportsFloats: true });
      return { value: value ?? {}, ...(floats && { floats }) };
    }
    if (format === 'yaml') {
      const { parseYaml } = await import('@pintle/machinery/yaml');
      return { value: parseYaml(bytes) ?? {} };
    }
    const { decodeProtobufObject } = await import('../../http/protobuf.ts');
    return { value: decodeProtobufObject(bytes, { apiVersion: 'v1', kind: 'DeleteOptions' }) ?? {} };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw badRequestError(format === 'json' ? `${NO_TYPE}${message}` : message);
  }
}

function checkPolicy(policy: string | undefined, orphanDependents: unknown): FieldError[] {
  if (policy === undefined) return [];
  if (typeof orphanDependents === 'boolean') {
    return [invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set')];
  }
  return POLICIES.includes(policy) ? [] : [notSupported('propagationPolicy', policy, [...POLICIES, 'nil'])];
}
