import { FieldPath, required } from '@pintle/machinery/errors';
import { validateDns1123Label, validateLabels } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { RuntimeClass } from '../../../generated/node/v1.ts';
import type { Check } from '../../common/checks.ts';
import { checkUnchanged, problems, sortedEntries } from '../../common/checks.ts';
import { deprecatedNodeLabels } from '../../common/node-label-warnings.ts';
import { validateTolerations } from '../../common/pod-validation/tolerations.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkQuantityOf } from '../../common/quantities.ts';
import { checkContainerResourceName } from '../../common/resource-names.ts';

export const runtimeClassRules: ResourceRules<RuntimeClass> = {
  metadataChecks: ['create', 'update'],
  takesAnyFinalizer: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  validate: (runtimeClass) => [...checkRuntimeClass(runtimeClass)],
  validateUpdate: (next, previous) => [
    ...checkRuntimeClass(next),
    ...checkUnchanged(FieldPath.of('handler'), next.handler, previous.handler),
  ],
  warnings: ({ scheduling }) =>
    sortedEntries(scheduling?.nodeSelector).flatMap(([key]) =>
      Object.hasOwn(deprecatedNodeLabels, key) ? [`scheduling.nodeSelector: ${deprecatedNodeLabels[key]}`] : [],
    ),
  printer: {
    columns: [nameColumn, column('Handler'), ageColumn],
    row: (runtimeClass, context) => [nameOf(runtimeClass), runtimeClass.handler, age(runtimeClass, context)],
  },
};

function* checkRuntimeClass({ handler, overhead, scheduling }: RuntimeClass): Check {
  if (handler === '') yield required('handler');
  else yield* problems(FieldPath.of('handler'), handler, validateDns1123Label(handler));
  for (const [name, quantity] of sortedEntries(overhead?.podFixed)) {
    const path = FieldPath.of('overhead', 'limits').key(name);
    yield* checkContainerResourceName(name, path);
    yield* checkQuantityOf(name, quantity, path);
  }
  const path = FieldPath.of('scheduling');
  yield* validateLabels(scheduling?.nodeSelector, path.child('nodeSelector'));
  yield* validateTolerations(scheduling?.tolerations, path.child('tolerations'));
}
