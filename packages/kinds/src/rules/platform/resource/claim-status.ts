import { FieldPath, forbidden, invalid, tooLong, tooMany } from '@pintle/machinery/errors';
import { asJson, canonicalJson, type JsonValue } from '@pintle/machinery/json';
import {
  byteLength,
  validateConditions,
  validateDns1123Label,
  validateInterfaceAddress,
} from '@pintle/machinery/names';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../../generated/resource/v1.ts';
import { type Check, checkChoice, checkRequired, checkUnchanged, problems } from '../../common/checks.ts';
import { checkNodeSelector } from '../../common/node-selector.ts';
import { checkCsiDriverName } from '../core/volume-sources.ts';
import { checkBinding } from './device.ts';
import { checkConfiguration, checkRaw, checkRequestName, checkRequestNames, requestNames } from './device-claim.ts';
import { checkItems, checkPoolName, checkUid, checkUniqueItems } from './device-names.ts';

const path = FieldPath.of('status');
const max = { consumers: 256, results: 32, config: 64, conditions: 8, ips: 16 };
const dataMaxBytes = 10 * 1024;
const interfaceNameMaxBytes = 256;
const hardwareAddressMaxBytes = 128;

/** Drops the status of devices that are no longer allocated. */
export function dropDeviceStatuses(next: ResourceClaim, previous: ResourceClaim): void {
  const kept = new Set((next.status?.allocation?.devices?.results ?? []).map(identityOf));
  const gone = new Set((previous.status?.allocation?.devices?.results ?? []).map(identityOf));
  const devices = (next.status?.devices ?? []).filter((device) => {
    const identity = identityOf(device);
    return kept.has(identity) || !gone.has(identity);
  });
  if (devices.length > 0) next.status!.devices = devices;
  else delete next.status?.devices;
}

/** Devices are allocated once; consumers may change. */
export function* checkClaimStatus(next: ResourceClaim, previous: ResourceClaim): Check {
  const { allocation, reservedFor = [], devices = [] } = next.status ?? {};
  const former = previous.status?.allocation;
  yield* checkUniqueItems(reservedFor, max.consumers, path.child('reservedFor'), ({ uid }) => uid, checkConsumer);
  const allocated = new Set((allocation?.devices?.results ?? []).map(identityOf));
  yield* checkUniqueItems(devices, Number.MAX_SAFE_INTEGER, path.child('devices'), identityOf, (device, at) =>
    checkDeviceStatus(device, allocated, at),
  );
  yield* checkReservation(next, previous);
  if (allocation === undefined) return;
  const at = path.child('allocation');
  if (former !== undefined) yield* checkUnchanged(at, allocation, former);
  else yield* checkAllocation(allocation, requestNames(next.spec.devices ?? {}), at);
}

interface Identified {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

function identityOf({ driver, pool, device, shareID }: Identified): string {
  return [driver, pool, device, ...(shareID ? [shareID] : [])].join('/');
}

function* checkConsumer({ resource, name, uid }: ResourceClaimConsumerReference, at: FieldPath): Check {
  yield* checkRequired(at.child('resource'), resource);
  yield* checkRequired(at.child('name'), name);
  yield* checkRequired(at.child('uid'), uid);
}

function* checkReservation(next: ResourceClaim, previous: ResourceClaim): Check {
  const { allocation, reservedFor = [] } = next.status ?? {};
  const at = path.child('reservedFor');
  if (reservedFor.length === 0) return;
  if (allocation === undefined) {
    yield forbidden(at, 'may not be specified when `allocated` is not set');
  } else if (next.metadata.deletionTimestamp) {
    const textOf = (consumer: ResourceClaimConsumerReference): string => canonicalJson(asJson(consumer));
    const known = new Set((previous.status?.reservedFor ?? []).map(textOf));
    if (reservedFor.some((consumer) => !known.has(textOf(consumer))))
      yield forbidden(at, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set');
  }
}

function* checkAllocation(allocation: AllocationResult, names: ReadonlySet<string>, at: FieldPath): Check {
  const { results, config } = allocation.devices ?? {};
  const devicesPath = at.child('devices');
  yield* checkItems(results, max.results, devicesPath.child('results'), (result, item) =>
    checkResult(result, names, item),
  );
  yield* checkItems(config, max.config, devicesPath.child('config'), function* (item, itemPath) {
    yield* checkChoice(itemPath.child('source'), item.source, ['FromClaim', 'FromClass']);
    yield* checkRequestNames(item.requests, names, itemPath.child('requests'));
    yield* checkConfiguration(item, itemPath);
  });
  if (allocation.nodeSelector !== undefined)
    yield* checkNodeSelector(allocation.nodeSelector, at.child('nodeSelector'));
}

function* checkResult(result: DeviceRequestAllocationResult, names: ReadonlySet<string>, at: FieldPath): Check {
  yield* checkRequestName(result.request, names, at.child('request'));
  yield* checkIdentity(result, at);
  yield* checkBinding(result, at);
  if (result.shareID !== undefined) yield* checkUid(result.shareID, at.child('shareID'));
}

function* checkIdentity({ driver, pool, device }: Identified, at: FieldPath): Check {
  yield* checkCsiDriverName(driver, at.child('driver'));
  yield* checkPoolName(pool, at.child('pool'));
  yield* problems(at.child('device'), device, validateDns1123Label(device));
}

function goIdentity({ driver, pool, device, shareID = '' }: Identified): object {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

function* checkDeviceStatus(device: AllocatedDeviceStatus, allocated: ReadonlySet<string>, at: FieldPath): Check {
  yield* checkIdentity(device, at);
  if (device.shareID !== undefined) yield* checkUid(device.shareID, at.child('shareID'));
  if (!allocated.has(identityOf(device)))
    yield invalid(at, goIdentity(device), 'must be an allocated device in the claim');
  const conditions = device.conditions ?? [];
  if (conditions.length > max.conditions) yield tooMany(at.child('conditions'), conditions.length, max.conditions);
  yield* validateConditions(conditions, at.child('conditions'));
  if (device.data !== undefined) yield* checkRaw(device.data as JsonValue, dataMaxBytes, at.child('data'));
  if (device.networkData !== undefined) yield* checkNetworkData(device.networkData, at.child('networkData'));
}

function* checkNetworkData(data: NetworkDeviceData, at: FieldPath): Check {
  if (byteLength(data.interfaceName ?? '') > interfaceNameMaxBytes)
    yield tooLong(at.child('interfaceName'), interfaceNameMaxBytes);
  if (byteLength(data.hardwareAddress ?? '') > hardwareAddressMaxBytes)
    yield tooLong(at.child('hardwareAddress'), hardwareAddressMaxBytes);
  yield* checkUniqueItems(data.ips, max.ips, at.child('ips'), (ip) => ip, validateInterfaceAddress);
}
