import { FieldPath, invalid } from '@pintle/machinery/errors';
import { validateDns1123Subdomain } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type { CSIStorageCapacity } from '../../../generated/storage/v1.ts';
import { type Check, checkUnchanged, collect, problems } from '../../common/checks.ts';
import { shownSelector } from '../../common/labels.ts';
import { labelSelectorWarnings } from '../../common/node-selector.ts';
import { nameAndCreation } from '../../common/printers.ts';
import { isNegative } from '../../common/quantities.ts';

export const csiStorageCapacityRules: ResourceRules<CSIStorageCapacity> = {
  unconditionalUpdate: false,
  validate: (capacity) => collect(checkCapacity(capacity)),
  validateUpdate: (next, previous) => [
    'create',
    ...checkCapacity(next),
    'update',
    ...checkUnchanged(
      FieldPath.of('nodeTopology'),
      next.nodeTopology,
      previous.nodeTopology,
      shownSelector(next.nodeTopology),
    ),
    ...checkUnchanged(FieldPath.of('storageClassName'), next.storageClassName, previous.storageClassName),
  ],
  warnings: ({ nodeTopology }) => labelSelectorWarnings(nodeTopology, FieldPath.of('nodeTopology')),
  /** Kubernetes defines columns for capacities, but does not print them. */
  printer: nameAndCreation,
};

function* checkCapacity({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): Check {
  yield* validateLabelSelector(nodeTopology, FieldPath.of('nodeTopology'));
  yield* problems(FieldPath.of('storageClassName'), storageClassName, validateDns1123Subdomain(storageClassName));
  if (capacity !== undefined && isNegative(capacity))
    yield invalid('capacity', String(capacity), 'must be greater than or equal to 0');
}
