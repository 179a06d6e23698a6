import { FieldPath, invalid } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { subdomainOrAnyPrefix } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  DeviceClass,
  DeviceClassSpec,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceClaimTemplateSpec,
} from '../../../generated/resource/v1.ts';
import { type Check, checkUnchanged, collect } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { keepAllButStatusAndMetadata, keepStatus } from '../../common/object-fields.ts';
import { validateTemplateMetadata } from '../../common/pod/validation/volumes/claim-spec.ts';
import { age, ageColumn, column, nameAndAge, nameColumn, nameOf } from '../../common/printers.ts';
import { isExtendedResource } from '../../common/resource-names.ts';
import { checkClaimStatus, dropDeviceStatuses } from './claim-status.ts';
import { checkClaim, checkClassConfigurations, checkSelectors, defaultClaim } from './device-claim.ts';

const path = FieldPath.of('spec');

export const deviceClassRules: ResourceRules<DeviceClass> = {
  validateName: subdomainOrAnyPrefix,
  metadataChecks: ['create', 'update'],
  returnsDeletedObject: true,
  tracksGeneration: true,
  validate: ({ spec }) => collect(checkClass(spec)),
  validateUpdate: ({ spec }) => collect(checkClass(spec)),
  printer: nameAndAge,
};

export const resourceClaimRules: ResourceRules<ResourceClaim> = {
  metadataChecks: ['create', 'update'],
  returnsDeletedObject: true,
  default: ({ spec, status }) => {
    defaultClaim(spec);
    for (const { tolerations = [] } of status?.allocation?.devices?.results ?? [])
      for (const toleration of tolerations) toleration.operator ??= 'Equal';
  },
  prepareForCreate: (claim) => {
    claim.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: ({ spec }) => collect(checkClaim(spec, path)),
  validateUpdate: (next, previous) => [
    ...checkUnchanged(path, withoutEmpty(next.spec), withoutEmpty(previous.spec), goClaim(next.spec)),
  ],
  subresources: {
    status: {
      prepareForUpdate: (next, previous) => {
        keepAllButStatusAndMetadata(next, previous);
        dropDeviceStatuses(next, previous);
      },
      validateUpdate: (next, previous) => collect(checkClaimStatus(next, previous)),
    },
  },
  printer: {
    columns: [nameColumn, column('State'), ageColumn],
    row: (claim, context) => [nameOf(claim), formatState(claim), age(claim, context)],
  },
};

export const resourceClaimTemplateRules: ResourceRules<ResourceClaimTemplate> = {
  returnsDeletedObject: true,
  default: (template) => {
    template.spec.metadata ??= {};
    defaultClaim(template.spec.spec);
  },
  validate: ({ spec }) => collect(checkTemplate(spec)),
  validateUpdate: (next, previous) => [
    'create',
    ...checkTemplate(next.spec),
    'update',
    ...checkUnchanged(path, next.spec, previous.spec, goForm(next.spec, 'resource.ResourceClaimTemplateSpec')),
  ],
  printer: nameAndAge,
};

function* checkClass({ selectors, config, extendedResourceName: name }: DeviceClassSpec): Check {
  yield* checkSelectors(selectors, path.child('selectors'));
  yield* checkClassConfigurations(config, path.child('config'));
  if (name !== undefined && !isExtendedResource(name))
    yield invalid(path.child('extendedResourceName'), name, 'must be a valid extended resource name');
}

function* checkTemplate({ metadata, spec }: ResourceClaimTemplateSpec): Check {
  yield* validateTemplateMetadata(metadata, path.child('metadata'));
  yield* checkClaim(spec, path.child('spec'));
}

/** An empty list of requests counts as absent. */
function withoutEmpty({ devices }: ResourceClaimSpec): object {
  return Object.fromEntries(Object.entries(devices ?? {}).filter(([, list]) => list?.length));
}

function goClaim({ devices = {} }: ResourceClaimSpec): JsonValue {
  return goForm({ devices }, 'resource.ResourceClaimSpec');
}

function formatState({ metadata, status }: ResourceClaim): string {
  const states: string[] = [];
  if (metadata.deletionTimestamp) states.push('deleted');
  if (status?.allocation !== undefined) states.push('allocated', ...(status.reservedFor?.length ? ['reserved'] : []));
  else if (!metadata.deletionTimestamp) states.push('pending');
  return states.join(',');
}
