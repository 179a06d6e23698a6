import type { KubernetesObject } from '@pintle/machinery';
import {
  applyConflictError,
  badRequestError,
  conflictError,
  requestEntityTooLargeError,
  unclassifiedError,
} from '@pintle/machinery/errors';
import { describeConflicts, FieldsError } from '@pintle/machinery/fields';
import type { JsonObject } from '@pintle/machinery/json';
import { deepCopy, isJsonObject } from '@pintle/machinery/json';
import { conversionProblem, textOf, typeText } from '../../compat/go-messages.ts';
import { unappliedCustomScale } from '../../compat/schemes.ts';
import { isTrue } from '../../request/request-info.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import { asObject, groupResourceOf } from '../../resource/served-resource.ts';
import { applyConfiguration, setEntries } from './ownership.ts';
import { checkName, setNamespace } from './prepare.ts';
import type { Configuration } from './read-body.ts';
import type { ReadObject } from './restore-object.ts';
import type { Change, DesiredObject } from './write-state.ts';

/** Returns the change of a server-side apply: the configuration is merged, and other managers keep their fields. */
export function applyChange(context: RequestContext, options: WriteOptions, configuration: Configuration): Change {
  const force = context.query.has('force') && isTrue(context.query.get('force'));
  return {
    desired: (current) => merge(context, options, configuration, current, force),
    async desiredNew() {
      if (context.info.subresource !== '') return undefined;
      const desired = await merge(context, options, configuration, undefined, false);
      refuseUid(context, desired.object);
      return desired;
    },
    followsCreation: true,
  };
}

function refuseUid({ resource, info }: RequestContext, { metadata: { uid } }: KubernetesObject): void {
  if (!uid) return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflictError(groupResourceOf(resource), info.name, why);
}

/** Throws for problems of strict decoding, which count only when the configuration is valid otherwise. */
function checkDuplicates(context: RequestContext, options: WriteOptions, duplicates: readonly string[]): void {
  if (duplicates.length > 0 && options.fieldValidation === 'Strict') {
    const list = duplicates.join('\n  ');
    throw badRequestError(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${list}`,
    );
  }
  if (options.fieldValidation === 'Warn') for (const duplicate of duplicates) context.warnings.add(duplicate);
}

async function merge(
  context: RequestContext,
  options: WriteOptions,
  { configuration, duplicates }: Configuration,
  current: KubernetesObject | undefined,
  force: boolean,
): Promise<DesiredObject> {
  if (!current?.metadata.managedFields?.length) refuseCustomScale(context, UNOWNED_SCALE);
  const outcome = await tryApply(context, options, configuration, current, force);
  if (outcome.status === 'conflict') {
    const { message, causes } = describeConflicts(outcome.conflicts);
    throw applyConflictError(message, causes);
  }
  if (outcome.isChanged) refuseCustomScale(context, `failed to convert new object (/${context.info.name}; ${SCALE})`);
  checkDuplicates(context, options, duplicates);
  const { value, emptied = [] } = await context.yielding.inOwnTurn(() => {
    return readMerged(context, configuration, outcome.object);
  });
  const object = asObject(value, context.resource);
  setNamespace(context, object);
  checkName(context, object);
  setEntries(object, outcome.managedFields);
  return { object, emptied, isTracked: true, isSame: !outcome.isChanged };
}

const SCALE = 'autoscaling/v1, Kind=Scale';
const UNOWNED_SCALE = `failed to create manager for existing fields: failed to convert live object (/; ${SCALE})`;

function refuseCustomScale({ resource }: RequestContext, step: string): void {
  if (resource.scaleView?.parent.isCustom) throw unclassifiedError(500, unappliedCustomScale(step));
}

async function tryApply(...[context, options, configuration, ...rest]: Parameters<typeof applyConfiguration>) {
  try {
    return await applyConfiguration(context, options, configuration, ...rest);
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error;
    if (error.failure.code === 'TooLarge') throw requestEntityTooLargeError(`limit is ${error.failure.maxBytes}`);
    if (error.failure.code === 'NotConverted') throw unclassifiedError(500, error.message);
    if (error.failure.code === 'LiveNotTyped') throw unfitLive(context, error.message, error.failure.isOwned);
    throw unclassifiedError(500, `failed to create typed patch object (${subjectOf(configuration)}): ${error.message}`);
  }
}

/**
 * Returns the error for a stored object that does not fit its schema. Without owners, its fields would first be given
 * to one, which needs all of the object.
 */
function unfitLive({ info, resource }: RequestContext, problem: string, isOwned: boolean): Error {
  const { apiVersion, kind } = resource.type;
  const subject = `${info.namespace}/${info.name}; ${typeText(apiVersion, kind)}`;
  return unclassifiedError(
    500,
    isOwned
      ? `failed to create typed live object (${subject}): ${problem}`
      : `failed to create manager for existing fields: failed to convert new object (${subject}) to smd typed: ${problem}`,
  );
}

/** Reads the merged object: the merge knows lists, maps and scalars, but only the kind knows quantities and times. */
function readMerged({ resource }: RequestContext, configuration: JsonObject, object: JsonObject): ReadObject {
  try {
    return resource.reader.read(deepCopy(object), { keepsNulls: true });
  } catch (error) {
    const type = typeText(configuration.apiVersion, configuration.kind);
    const subject = subjectOf(configuration);
    const problem = conversionProblem(type, error);
    throw unclassifiedError(500, `failed to convert new object (${subject}) to proper version: ${problem}`);
  }
}

/** `shop/web; apps/v1, Kind=Deployment`. */
function subjectOf({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name } = isJsonObject(metadata ?? null) ? (metadata as JsonObject) : {};
  return `${textOf(namespace)}/${textOf(name)}; ${typeText(apiVersion, kind)}`;
}
