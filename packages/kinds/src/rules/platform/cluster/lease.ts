import { FieldPath, forbidden, invalid, notSupported } from '@pintle/machinery/errors';
import { validateQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Lease, LeaseSpec } from '../../../generated/coordination/v1.ts';
import { type Check, checkNonNegative, collect, problems } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const path = FieldPath.of('spec');

export const leaseRules: ResourceRules<Lease> = {
  takesAnyFinalizer: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  prepareForCreate: (lease) => dropCoordination(lease, undefined),
  prepareForUpdate: dropCoordination,
  validate: ({ spec = {} }) => collect(checkSpec(spec)),
  validateUpdate: ({ spec = {} }) => collect(checkSpec(spec)),
  printer: {
    columns: [nameColumn, column('Holder'), ageColumn],
    row: (lease, context) => [nameOf(lease), lease.spec?.holderIdentity ?? '', age(lease, context)],
  },
};

/** Drops the fields of coordinated leader election, which Kubernetes disables by default. */
function dropCoordination(next: Lease, previous: Lease | undefined): void {
  for (const field of ['strategy', 'preferredHolder'] as const)
    if (previous?.spec?.[field] === undefined) delete next.spec?.[field];
}

function* checkSpec(spec: LeaseSpec): Check {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    yield invalid(path.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0');
  yield* checkNonNegative(path.child('leaseTransitions'), leaseTransitions);
  if (strategy !== undefined) yield* checkStrategy(strategy);
  if (preferredHolder && !strategy)
    yield forbidden(path.child('preferredHolder'), 'may only be specified if `strategy` is defined');
}

function* checkStrategy(strategy: string): Check {
  const at = path.child('strategy', 'strategy');
  if (strategy.includes('/')) yield* problems(at, strategy, validateQualifiedName(strategy));
  else if (strategy !== 'OldestEmulationVersion') yield notSupported(at, strategy, ['OldestEmulationVersion']);
}
