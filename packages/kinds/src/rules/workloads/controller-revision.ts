import { type FieldError, FieldPath, required } from '@pintle/machinery/errors';
import { isJsonObject } from '@pintle/machinery/json';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import type { ControllerRevision } from '../../generated/apps/v1.ts';
import { checkNonNegative, checkUnchanged } from '../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';

const dataPath = FieldPath.of('data');

/** An earlier state to which a controller can roll back: its data never changes. */
export const controllerRevisionRules: ResourceRules<ControllerRevision> = {
  metadataChecks: ['update', 'create'],
  validate: (revision) => [...validateNumber(revision), ...validateData(revision)],
  validateUpdate: (next, previous) => [...validateNumber(next), ...checkUnchanged(dataPath, next.data, previous.data)],
  printer: revisionPrinter(),
};

function validateNumber({ revision }: ControllerRevision): FieldError[] {
  return checkNonNegative(FieldPath.of('revision'), revision);
}

function validateData({ data }: ControllerRevision): FieldError[] {
  const value: unknown = data;
  if (value === undefined || value === null) return [required(dataPath, 'data is mandatory')];
  return isJsonObject(value as never) ? [] : [required(dataPath, 'data must be a valid JSON object')];
}

function revisionPrinter(): Printer<ControllerRevision> {
  return {
    columns: [nameColumn, column('Controller'), column('Revision'), ageColumn],
    row: (revision, context) => [nameOf(revision), ownerOf(revision), revision.revision, age(revision, context)],
  };
}

/** Returns `deployment.apps/web`. */
function ownerOf({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner === undefined) return '<none>';
  const [group, version] = owner.apiVersion.split('/', 2);
  const kind = owner.kind.toLowerCase();
  return version === undefined ? `${kind}/${owner.name}` : `${kind}.${group}/${owner.name}`;
}
