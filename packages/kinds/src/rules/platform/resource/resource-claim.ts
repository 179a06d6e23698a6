import { FieldPath } from '@pintle/machinery/errors';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from '../../../generated/resource/v1.ts';
import type { Check } from '../../common/checks.ts';
import { checkUnchanged } from '../../common/checks.ts';
import { keepAllButStatusAndMetadata, keepStatus } from '../../common/keep-status.ts';
import { age, ageColumn, column, nameAndAge, nameColumn, nameOf } from '../../common/printers.ts';
import { checkClaim, checkSelectors, defaultClaim } from './device-claim.ts';

const path = FieldPath.of('spec');

export const deviceClassRules: ResourceRules<DeviceClass> = {
  metadataChecks: ['create', 'update'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  validate: ({ spec }) => [...checkSelectors(spec.selectors ?? [], path.child('selectors'))],
  validateUpdate: ({ spec }) => [...checkSelectors(spec.selectors ?? [], path.child('selectors'))],
  printer: nameAndAge,
};

export const resourceClaimRules: ResourceRules<ResourceClaim> = {
  metadataChecks: ['create', 'update'],
  returnsDeletedObject: true,
  default: ({ spec }) => defaultClaim(spec),
  prepareForCreate: (claim) => {
    claim.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: ({ spec }) => [...checkClaim(spec, path)],
  validateUpdate: (next, previous) => [
    ...checkUnchanged(path, withoutEmpty(next.spec), withoutEmpty(previous.spec), goClaim(next.spec)),
  ],
  subresources: { status: { prepareForUpdate: keepAllButStatusAndMetadata } },
  printer: {
    columns: [nameColumn, column('State'), ageColumn],
    row: (claim, context) => [nameOf(claim), formatState(claim), age(claim, context)],
  },
};

export const resourceClaimTemplateRules: ResourceRules<ResourceClaimTemplate> = {
  metadataChecks: ['create', 'update'],
  returnsDeletedObject: true,
  default: (template) => {
    template.spec.metadata ??= {};
    defaultClaim(template.spec.spec);
  },
  validate: ({ spec }) => [...checkClaim(spec.spec, path.child('spec'))],
  validateUpdate: (next, previous): ReturnType<typeof collect> =>
    collect(checkUnchanged(path, next.spec, previous.spec)),
  printer: nameAndAge,
};

function collect(check: Check) {
  return [...check];
}

/** An empty list of requests is none. */
function withoutEmpty({ devices }: ResourceClaimSpec): object {
  return Object.fromEntries(Object.entries(devices ?? {}).filter(([, list]) => list?.length));
}

function goClaim({ devices = {} }: ResourceClaimSpec): object {
  const { requests = null, constraints = null, config = null } = devices as Record<string, unknown[] | undefined>;
  return { Devices: { Requests: requests, Constraints: constraints, Config: config } };
}

function formatState({ metadata, status }: ResourceClaim): string {
  const states: string[] = [];
  if (metadata.deletionTimestamp) states.push('deleted');
  if (status?.allocation !== undefined) states.push('allocated', ...(status.reservedFor?.length ? ['reserved'] : []));
  else if (!metadata.deletionTimestamp) states.push('pending');
  return states.join(',');
}
