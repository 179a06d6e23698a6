import type { UserInfo } from '@pintle/apiserver';
import type { Permission } from '@pintle/apiserver/auth';
import { denialOf, splitServiceAccountName, toRequest } from '@pintle/apiserver/auth';
import type { RequestContext } from '@pintle/apiserver/resource';
import type { AllocatedDeviceStatus, AllocationResult, ResourceClaim } from '@pintle/kinds/resource/v1';
import type { FieldError } from '@pintle/machinery/errors';
import { FieldPath, forbidden } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { validateDns1123Subdomain } from '@pintle/machinery/names';

const ALLOCATION = FieldPath.of('status', 'allocation');
const DEVICES = FieldPath.of('status', 'devices');
const NODE_NAME = 'authentication.kubernetes.io/node-name';

/**
 * Checks permissions for parts of a ResourceClaim's status. Allocating and reserving needs `resourceclaims/binding`;
 * reporting devices needs `resourceclaims/driver` for the driver, with one verb for service accounts on the allocated
 * node and another for all others.
 */
export async function checkStatusPermissions(
  context: RequestContext,
  next: ResourceClaim,
  previous: ResourceClaim,
): Promise<FieldError[]> {
  const errors = isBoundAsBefore(next, previous) ? [] : await checkBinding(context);
  const allocation = next.status?.allocation;
  if (allocation) {
    const verbs = verbsFor(context, allocation);
    for (const driver of changedDrivers(next, previous)) errors.push(...(await checkDriver(context, verbs, driver)));
  }
  return errors;
}

function isBoundAsBefore({ status: next }: ResourceClaim, { status: previous }: ResourceClaim): boolean {
  return (
    deepEqual(next?.allocation ?? null, previous?.allocation ?? null) &&
    deepEqual(next?.reservedFor ?? [], previous?.reservedFor ?? [])
  );
}

async function checkBinding(context: RequestContext): Promise<FieldError[]> {
  const { verb } = context.info;
  const why = await refusalOf(context, { verb, subresource: 'binding' });
  if (why === undefined) return [];
  const needed = `resource="resourceclaims/binding", verb="${verb}" permission`;
  return [forbidden(ALLOCATION, `changing status.allocation or status.reservedFor requires ${needed}: ${why}`)];
}

async function checkDriver(context: RequestContext, verbs: readonly string[], driver: string): Promise<FieldError[]> {
  const { namespace } = context.info;
  let first: string | undefined;
  for (const verb of verbs) {
    const why = await refusalOf(context, { verb, subresource: 'driver', namespace, name: driver });
    if (why === undefined) return [];
    first ??= why;
  }
  const needed = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`;
  return [forbidden(DEVICES, `changing status.devices requires ${needed}: ${first}`)];
}

async function refusalOf(
  { authorizer, user, info: { group, version, resource } }: RequestContext,
  permission: Omit<Permission, 'group' | 'resource'>,
): Promise<string | undefined> {
  return (await denialOf(authorizer, user, toRequest({ group, version, resource, ...permission })))?.message;
}

function verbsFor({ info: { verb }, user }: RequestContext, allocation: AllocationResult): readonly string[] {
  const node = nodeOf(allocation);
  const anywhere = `arbitrary-node:${verb}`;
  return node !== undefined && isAccountOn(user, node) ? [`associated-node:${verb}`, anywhere] : [anywhere];
}

/** Returns the only node that an allocation is for, if it names one. */
function nodeOf({ nodeSelector }: AllocationResult): string | undefined {
  const [term, ...others] = nodeSelector?.nodeSelectorTerms ?? [];
  const [field, ...more] = term?.matchFields ?? [];
  if (others.length > 0 || more.length > 0 || term?.matchExpressions?.length) return undefined;
  if (field?.key !== 'metadata.name' || field.operator !== 'In') return undefined;
  return field.values?.length === 1 ? field.values[0] : undefined;
}

function isAccountOn({ username, extra }: UserInfo, node: string): boolean {
  const nodes = extra?.[NODE_NAME] ?? [];
  const isThere = nodes.length === 1 && nodes[0] === node && validateDns1123Subdomain(node).length === 0;
  return isThere && splitServiceAccountName(username) !== undefined;
}

/** Returns the drivers of devices that were added, changed or removed, in order. */
function changedDrivers(next: ResourceClaim, previous: ResourceClaim): string[] {
  const before = new Map((previous.status?.devices ?? []).map((device) => [identityOf(device), device]));
  const drivers = new Set<string>();
  for (const device of next.status?.devices ?? []) {
    const id = identityOf(device);
    if (!deepEqual(before.get(id) ?? null, device)) drivers.add(device.driver);
    before.delete(id);
  }
  for (const { driver } of before.values()) drivers.add(driver);
  return [...drivers].sort();
}

function identityOf({ driver, pool, device, shareID = '' }: AllocatedDeviceStatus): string {
  return JSON.stringify([driver, pool, device, shareID]);
}
