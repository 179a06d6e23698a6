import { type FieldError, FieldPath } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import { finish, type ResourceRules, type Steps } from '@pintle/machinery/rules';
import { formatTime } from '@pintle/machinery/time';
import type { CustomResourceDefinition } from '../../../generated/apiextensions/v1.ts';
import { ensure, keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { nameAndCreation } from '../../common/printers.ts';
import { formatWarnings } from './definition-schemas.ts';
import { checkDefinition, checkDefinitionUpdate, checkNames } from './definition-validation.ts';

export const customResourceDefinitionRules: ResourceRules<CustomResourceDefinition> = {
  takesAnyFinalizer: true,
  unconditionalUpdate: false,
  tracksGeneration: true,
  default: defaultDefinition,
  prepareForCreate: (definition) => {
    definition.status = {};
    recordStorageVersion(definition);
    completeStatus(definition);
  },
  prepareForUpdate: (next, previous) => {
    keepStatus(next, { ...previous, status: deepCopy(previous.status) });
    recordStorageVersion(next);
  },
  prepareForDelete: addCleanupFinalizer,
  validate: (definition) => finish(checkInSteps(definition)),
  validateUpdate: (next, previous) => finish(checkInSteps(next, previous)),
  validateInSteps: checkInSteps,
  warnings: formatWarnings,
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }) => [
        ...checkNames(status?.acceptedNames ?? {}, FieldPath.of('status', 'acceptedNames')),
      ],
    },
  },
  printer: nameAndCreation,
};

function* checkInSteps(next: CustomResourceDefinition, previous?: CustomResourceDefinition): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  for (const found of previous ? checkDefinitionUpdate(next, previous) : checkDefinition(next)) {
    if (found === undefined) yield;
    else errors.push(found);
  }
  return errors;
}

const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** Adds a finalizer, so that a definition is removed after its objects. */
function addCleanupFinalizer(definition: CustomResourceDefinition, { nowMs }: { readonly nowMs: number }): void {
  const { metadata } = definition;
  if (!metadata.finalizers?.includes(CLEANUP_FINALIZER)) {
    metadata.finalizers = [...(metadata.finalizers ?? []), CLEANUP_FINALIZER];
  }
  const status = ensure(definition, 'status');
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Terminating');
  const pending = {
    lastTransitionTime: formatTime(nowMs),
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    reason: 'InstanceDeletionPending',
    status: 'True',
    type: 'Terminating',
  };
  status.conditions = [...others, pending];
}

function defaultDefinition(definition: CustomResourceDefinition): void {
  const { spec } = definition;
  if (spec?.names) {
    const { names } = spec;
    if (names.kind) names.listKind ||= `${names.kind}List`;
    if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
  }
  if (spec) spec.conversion ??= { strategy: 'None' };
  const webhook = spec?.conversion?.webhook;
  // An empty webhook counts as absent.
  if (webhook && !webhook.clientConfig && !webhook.conversionReviewVersions?.length) delete spec.conversion?.webhook;
  const service = webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
  if (definition.status !== undefined && !definition.status.storedVersions?.length) recordStorageVersion(definition);
}

/** Records the storage version: objects may be stored in it until they are all rewritten. */
function recordStorageVersion(definition: CustomResourceDefinition): void {
  const storage = definition.spec?.versions?.find((version) => version.storage);
  if (storage === undefined) return;
  const status = ensure(definition, 'status');
  const known = status.storedVersions ?? [];
  if (!known.includes(storage.name)) status.storedVersions = [...known, storage.name];
}

/** Sets Go's zero values of a status without `omitempty`. */
function completeStatus({ status }: CustomResourceDefinition): void {
  if (status === undefined) return;
  status.acceptedNames ??= { plural: '', kind: '' };
  status.storedVersions ??= null as unknown as string[];
  status.conditions ??= null as unknown as never[];
}
