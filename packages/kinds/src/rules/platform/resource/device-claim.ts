import { duplicate, type FieldPath, invalid, required, tooMany } from '@pintle/machinery/errors';
import { validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import type {
  DeviceClaim,
  DeviceRequest,
  DeviceSelector,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from '../../../generated/resource/v1.ts';
import type { Check } from '../../common/checks.ts';
import { checkChoice, problems } from '../../common/checks.ts';

const max = { requests: 32, constraints: 32, config: 32, selectors: 32, alternatives: 8 };

/** One device is meant unless a number is given. */
export function defaultClaim({ devices }: ResourceClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? [])
    for (const request of [...(exactly ? [exactly] : []), ...firstAvailable]) {
      request.allocationMode ??= 'ExactCount';
      if (request.allocationMode === 'ExactCount') request.count ||= 1;
    }
}

export function* checkClaim({ devices = {} }: ResourceClaimSpec, path: FieldPath): Check {
  const at = path.child('devices');
  yield* checkSize(devices, 'requests', at);
  const names = new Set<string>();
  for (const [index, request] of (devices.requests ?? []).entries()) {
    const requestPath = at.child('requests').index(index);
    if (names.has(request.name)) yield duplicate(requestPath, request.name);
    names.add(request.name);
    yield* checkRequest(request, requestPath);
  }
  yield* checkSize(devices, 'constraints', at);
  yield* checkSize(devices, 'config', at);
}

function* checkSize(devices: DeviceClaim, field: 'requests' | 'constraints' | 'config', path: FieldPath): Check {
  const count = (devices[field] ?? []).length;
  if (count > max[field]) yield tooMany(path.child(field), count, max[field]);
}

function* checkRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, path: FieldPath): Check {
  yield* checkName(name, path.child('name'));
  const detail = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly === undefined && firstAvailable.length === 0) {
    yield required(path, detail);
  } else if (exactly !== undefined && firstAvailable.length > 0) {
    yield invalid(path, null, `${detail}, but multiple fields are set`);
  } else if (exactly !== undefined) {
    yield* checkWanted(exactly, path.child('exactly'));
  } else {
    const at = path.child('firstAvailable');
    if (firstAvailable.length > max.alternatives) yield tooMany(at, firstAvailable.length, max.alternatives);
    const names = firstAvailable.map((request) => request.name);
    for (const [index, request] of firstAvailable.entries()) {
      if (names.indexOf(request.name) < index) yield duplicate(at.index(index), request.name);
      yield* checkName(request.name, at.index(index).child('name'));
      yield* checkWanted(request, at.index(index));
    }
  }
}

function* checkName(name: string, path: FieldPath): Check {
  if (name === '') yield required(path);
  else yield* problems(path, name, validateDns1123Label(name));
}

type Wanted = Pick<ExactDeviceRequest, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count'>;

function* checkWanted({ deviceClassName, selectors = [], allocationMode, count = 0 }: Wanted, path: FieldPath): Check {
  const classPath = path.child('deviceClassName');
  if (deviceClassName === '') yield required(classPath);
  else yield* problems(classPath, deviceClassName, validateDns1123Subdomain(deviceClassName));
  yield* checkSelectors(selectors, path.child('selectors'));
  yield* checkChoice(path.child('allocationMode'), allocationMode, ['All', 'ExactCount']);
  if (allocationMode === 'All' && count !== 0)
    yield invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'");
  if (allocationMode === 'ExactCount' && count <= 0)
    yield invalid(path.child('count'), count, 'must be greater than zero');
}

/** Whether an expression compiles is for who evaluates it to say. */
export function* checkSelectors(selectors: readonly DeviceSelector[], path: FieldPath): Check {
  if (selectors.length > max.selectors) yield tooMany(path, selectors.length, max.selectors);
  for (const [index, { cel }] of selectors.entries())
    if (cel === undefined) yield required(path.index(index).child('cel'));
}
