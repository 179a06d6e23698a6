import { type FieldPath, invalid, notSupported, required, tooLong } from '@pintle/machinery/errors';
import { isJsonObject, type JsonValue, stringifyJson } from '@pintle/machinery/json';
import {
  byteLength,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelKey,
  validateLabelValue,
} from '@pintle/machinery/names';
import type {
  DeviceClaim,
  DeviceClassConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from '../../../generated/resource/v1.ts';
import { type Check, problems } from '../../common/checks.ts';
import { checkCsiDriverName } from '../core/volume-sources.ts';
import { checkDeviceExpression } from './device-expression.ts';
import { checkFullyQualifiedName, checkItems, checkUniqueItems } from './device-names.ts';

const max = { requests: 32, constraints: 32, config: 32, selectors: 32, alternatives: 8 };
const expressionMaxBytes = 10 * 1024;
const parametersMaxBytes = 10 * 1024;

export const taintEffects: readonly string[] = ['NoExecute', 'NoSchedule', 'None'];

/** Sets the count of a request to one. */
export function defaultClaim({ devices }: ResourceClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? [])
    for (const request of [...(exactly ? [exactly] : []), ...firstAvailable]) {
      request.allocationMode ??= 'ExactCount';
      if (request.allocationMode === 'ExactCount') request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ??= 'Equal';
    }
}

export function* checkClaim({ devices = {} }: ResourceClaimSpec, path: FieldPath): Check {
  const at = path.child('devices');
  const names = requestNames(devices);
  yield* checkUniqueItems(devices.requests, max.requests, at.child('requests'), ({ name }) => name, checkRequest);
  yield* checkItems(devices.constraints, max.constraints, at.child('constraints'), (constraint, item) =>
    checkConstraint(constraint, names, item),
  );
  yield* checkItems(devices.config, max.config, at.child('config'), function* (config, item) {
    yield* checkRequestNames(config.requests, names, item.child('requests'));
    yield* checkConfiguration(config, item);
  });
}

/** Returns `a`, and `a/b` for the alternative b of request a. */
export function requestNames({ requests }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
    ]),
  );
}

export function* checkRequestNames(
  requests: readonly string[] | undefined,
  names: ReadonlySet<string>,
  path: FieldPath,
): Check {
  yield* checkUniqueItems(
    requests,
    max.requests,
    path,
    (name) => name,
    (name, at) => checkRequestName(name, names, at),
  );
}

export function* checkRequestName(name: string, names: ReadonlySet<string>, path: FieldPath): Check {
  const parts = name.split('/');
  const unknown =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  if (parts.length > 2) {
    yield invalid(path, name, unknown);
    return;
  }
  for (const part of parts) yield* problems(path, part, validateDns1123Label(part));
  if (!names.has(name)) yield invalid(path, name, unknown);
}

function* checkRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, path: FieldPath): Check {
  yield* problems(path.child('name'), name, validateDns1123Label(name));
  const detail = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly === undefined && firstAvailable.length === 0) {
    yield required(path, detail);
  } else if (exactly !== undefined && firstAvailable.length > 0) {
    yield invalid(path, null, `${detail}, but multiple fields are set`);
  } else if (exactly !== undefined) {
    yield* checkWanted(exactly, path.child('exactly'));
  } else {
    const at = path.child('firstAvailable');
    yield* checkUniqueItems(
      firstAvailable,
      max.alternatives,
      at,
      (alternative) => alternative.name,
      function* (alternative, item) {
        yield* problems(item.child('name'), alternative.name, validateDns1123Label(alternative.name));
        yield* checkWanted(alternative, item);
      },
    );
  }
}

type Wanted = Pick<ExactDeviceRequest, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count' | 'tolerations'>;

function* checkWanted(wanted: Wanted, path: FieldPath): Check {
  const { deviceClassName, allocationMode, count = 0 } = wanted;
  const classPath = path.child('deviceClassName');
  if (deviceClassName === '') yield required(classPath);
  else yield* problems(classPath, deviceClassName, validateDns1123Subdomain(deviceClassName));
  yield* checkSelectors(wanted.selectors, path.child('selectors'));
  if (allocationMode === 'All') {
    if (count !== 0) yield invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'");
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) yield invalid(path.child('count'), count, 'must be greater than zero');
  } else {
    yield notSupported(path.child('allocationMode'), allocationMode ?? '', ['All', 'ExactCount']);
  }
  for (const [index, toleration] of (wanted.tolerations ?? []).entries())
    yield* checkToleration(toleration, path.child('tolerations').index(index));
}

export function* checkSelectors(selectors: readonly DeviceSelector[] | undefined, path: FieldPath): Check {
  yield* checkItems(selectors, max.selectors, path, function* ({ cel }, at) {
    if (cel === undefined) yield required(at.child('cel'));
    else if (byteLength(cel.expression) > expressionMaxBytes)
      yield tooLong(at.child('cel', 'expression'), expressionMaxBytes);
    else yield* checkDeviceExpression(cel.expression, at.child('cel', 'expression'));
  });
}

function* checkToleration({ key, operator, value = '', effect }: DeviceToleration, path: FieldPath): Check {
  if (key) yield* validateLabelKey(key, path.child('key'));
  if (operator === 'Exists') {
    if (value !== '') yield invalid(path.child('value'), value, 'must be empty for operator `Exists`');
  } else if (operator === 'Equal') {
    yield* problems(path.child('value'), value, validateLabelValue(value));
  } else if (!operator) {
    yield required(path.child('operator'));
  } else {
    yield notSupported(path.child('operator'), operator, ['Equal', 'Exists']);
  }
  if (effect && !taintEffects.includes(effect)) yield notSupported(path.child('effect'), effect, taintEffects);
}

function* checkConstraint(
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  names: ReadonlySet<string>,
  path: FieldPath,
): Check {
  yield* checkRequestNames(requests, names, path.child('requests'));
  if (matchAttribute !== undefined) yield* checkFullyQualifiedName(matchAttribute, path.child('matchAttribute'));
  else if (distinctAttribute !== undefined)
    yield* checkFullyQualifiedName(distinctAttribute, path.child('distinctAttribute'));
  // Kubernetes reports this when neither is set, too.
  else
    yield required(
      path,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    );
}

export function* checkClassConfigurations(
  config: readonly DeviceClassConfiguration[] | undefined,
  path: FieldPath,
): Check {
  yield* checkItems(config, max.config, path, checkConfiguration);
}

/** Checks the parameters of a driver, which may be any object. */
export function* checkConfiguration({ opaque }: DeviceClassConfiguration, path: FieldPath): Check {
  const at = path.child('opaque');
  if (opaque === undefined) {
    yield required(at);
    return;
  }
  yield* checkCsiDriverName(opaque.driver, at.child('driver'));
  yield* checkRaw(opaque.parameters as JsonValue | undefined, parametersMaxBytes, at.child('parameters'));
}

export function* checkRaw(value: JsonValue | undefined, maxBytes: number, path: FieldPath): Check {
  if (value === undefined || value === null) yield required(path);
  else if (byteLength(stringifyJson(value)) > maxBytes) yield tooLong(path, maxBytes);
  else if (!isJsonObject(value)) yield invalid(path, '<value omitted>', 'must be a valid JSON object');
}
