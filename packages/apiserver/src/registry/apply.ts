import type { KubernetesObject } from '@pintle/machinery';
import { applyConflictError, badRequestError, notFoundError, unclassifiedError } from '@pintle/machinery/errors';
import { describeConflicts, FieldsError } from '@pintle/machinery/fields';
import type { JsonObject } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import type { ApiResponse } from '../http/exchange.ts';
import { isTrue } from '../request/request-info.ts';
import { answerObject, negotiateAnswer } from './answer.ts';
import { createObject, settleNamespace } from './create.ts';
import { asObject, readBodyBytes } from './decode-body.ts';
import type { EndpointCall } from './endpoint.ts';
import { applyConfiguration, setEntries } from './field-ownership.ts';
import type { WriteOptions } from './options.ts';
import { groupResourceOf } from './served-resource.ts';
import { changeObject, checkSentVersion } from './update.ts';

/** Server-side apply: the object becomes as the configuration says, whoever else owns the rest. */
export async function applyPatch(call: EndpointCall, options: WriteOptions): Promise<ApiResponse> {
  const form = negotiateAnswer(call, ['Table', 'PartialObjectMetadata']);
  const configuration = await readConfiguration(call);
  const force = call.query.has('force') && isTrue(call.query.get('force'));
  let isMissing = false;
  const written = await changeObject(call, options, (current) => {
    isMissing = current === undefined;
    return current && merged(call, options, configuration, current, force);
  });
  if (written !== undefined) return await answerObject(call, form, 200, written);
  if (!isMissing || call.info.subresource !== '') throw notFoundError(groupResourceOf(call.resource), call.info.name);
  return await answerObject(call, form, 201, await createApplied(call, options, configuration));
}

async function readConfiguration(call: EndpointCall): Promise<JsonObject> {
  const { parseYaml } = await import('@pintle/machinery/yaml');
  const bytes = await readBodyBytes(call);
  let value: unknown;
  try {
    value = parseYaml(bytes);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw badRequestError(`error decoding YAML: error converting YAML to JSON: ${message}`);
  }
  if (!isJsonObject(value)) throw badRequestError('error decoding YAML: the configuration is not an object');
  checkHead(call, value);
  return value;
}

function checkHead(call: EndpointCall, { apiVersion = '', kind = '', metadata = {} }: JsonObject): void {
  const { type } = call.resource;
  if (apiVersion === '' || kind === '') throw badRequestError(`invalid object type: apiVersion and kind are needed`);
  if (apiVersion !== type.apiVersion || kind !== type.kind) {
    throw badRequestError(`invalid object type: ${apiVersion}, Kind=${kind}`);
  }
  if (isJsonObject(metadata) && Array.isArray(metadata.managedFields) && metadata.managedFields.length > 0) {
    throw badRequestError('metadata.managedFields must be nil');
  }
}

function merged(
  call: EndpointCall,
  options: WriteOptions,
  configuration: JsonObject,
  current: KubernetesObject | undefined,
  force: boolean,
): { readonly object: KubernetesObject; readonly isTracked: true } {
  const outcome = tryApply(call, options, configuration, current, force);
  if (outcome.status === 'conflict') {
    const { message, causes } = describeConflicts(outcome.conflicts);
    throw applyConflictError(message, causes);
  }
  const { value } = call.resource.reader.read(structuredClone(outcome.object));
  const object = asObject(value, call.resource);
  if (current !== undefined) checkSentVersion(call, object, current);
  setEntries(object, outcome.managedFields);
  return { object, isTracked: true };
}

function tryApply(...[call, ...rest]: Parameters<typeof applyConfiguration>) {
  try {
    return applyConfiguration(call, ...rest);
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error;
    const { info, resource } = call;
    const where = `${info.namespace}/${info.name}; ${resource.type.apiVersion}, Kind=${resource.type.kind}`;
    throw unclassifiedError(500, `failed to create typed patch object (${where}): ${error.message}`);
  }
}

async function createApplied(
  call: EndpointCall,
  options: WriteOptions,
  configuration: JsonObject,
): Promise<KubernetesObject> {
  const { object } = merged(call, options, configuration, undefined, false);
  if (!object.metadata.name) object.metadata.name = call.info.name;
  settleNamespace(call, object);
  return await createObject(call, object, options, { isTracked: true });
}
