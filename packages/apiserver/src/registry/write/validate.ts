import type { Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { invalid, invalidError } from '@pintle/machinery/errors';
import type { ServedResource } from '../../resource/served-resource.ts';
import { groupKindOf } from '../../resource/served-resource.ts';
import { longTurns, runInTurns } from '../../resource/yield-policy.ts';
import { rulesOf } from './prepare.ts';
import { restoreEmpties } from './restore-empties.ts';
import { checkChanged, checkNew } from './validate-metadata.ts';
import type { NewObject, ObjectChange, ObjectWrite } from './write-state.ts';

/** Validates a new object by the rules of its kind. */
export function validateNew(write: NewObject): Eventual<void> {
  const { stored, next, desired } = write;
  const { rules } = stored.resource;
  refuseOtherKind(stored.resource, next);
  const { undo } = restoreEmpties(desired.emptied, next, undefined, '');
  const found = rules.validateInSteps
    ? runInTurns(rules.validateInSteps(next, undefined), longTurns(stored.clock, stored.yielding.ownTurn))
    : (rules.validate?.(next) ?? []);
  return after(found, (errors) => {
    undo();
    write.findings = errors;
  });
}

/** Validates a changed object by the rules of its kind, or of the subresource. */
export function validateChange(write: ObjectChange): Eventual<void> {
  const { stored, next, restored } = write;
  const rules = rulesOf(stored);
  write.restoreEmptyLists?.();
  refuseOtherKind(stored.resource, next);
  const { previous, undo } = restored!;
  const found = rules.validateInSteps
    ? runInTurns(rules.validateInSteps(next, previous), longTurns(stored.clock, stored.yielding.ownTurn))
    : (rules.validateUpdate?.(next, previous) ?? []);
  return after(found, (findings) => {
    undo();
    for (const warning of rules.tolerated?.(next) ?? []) stored.warnings.add(warning);
    write.findings = findings;
  });
}

/** Throws the errors of the object, its surroundings and its metadata. */
export async function refuseInvalid({ stored, next, current, findings }: NewObject | ObjectChange): Promise<void> {
  const { resource } = stored;
  const around = (await resource.checkRelatedObjects?.(stored, next, current?.object)) ?? [];
  const errors =
    current === undefined
      ? [...around, ...checkNew(next.metadata, resource, findings)]
      : checkChanged(next.metadata, current.object.metadata, resource, {
          metadataChecks: rulesOf(stored).metadataChecks,
          findings: [...around, ...findings],
        });
  // The error has the object's own name: admission may have changed it, or removed it.
  if (errors.length > 0) throw invalidError(groupKindOf(resource), next.metadata.name ?? '', errors);
}

export function warn({ stored, next, current }: ObjectWrite): void {
  for (const warning of rulesOf(stored).warnings?.(next, current?.object) ?? []) stored.warnings.add(warning);
}

/** Throws for a custom object of another kind, which its rules check first. */
function refuseOtherKind({ type, isCustom }: ServedResource, { kind, metadata }: KubernetesObject): void {
  if (!isCustom || kind === type.kind) return;
  throw invalidError({ group: type.group, kind }, metadata.name ?? '', [invalid('kind', kind, `must be ${type.kind}`)]);
}
