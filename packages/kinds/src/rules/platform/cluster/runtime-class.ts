import { duplicate, FieldPath, required } from '@pintle/machinery/errors';
import { validateDns1123Label, validateLabels } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Toleration } from '../../../generated/core/v1.ts';
import type { RuntimeClass } from '../../../generated/node/v1.ts';
import { type Check, checkUnchanged, collect, problems, sortedEntries } from '../../common/checks.ts';
import { deprecatedNodeLabels } from '../../common/node-selector.ts';
import { validateContainerResources } from '../../common/pod/validation/containers/resources.ts';
import { validateTolerations } from '../../common/pod/validation/scheduling/tolerations.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

export const runtimeClassRules: ResourceRules<RuntimeClass> = {
  takesAnyFinalizer: true,
  createOnUpdate: true,
  unconditionalUpdate: false,
  validate: (runtimeClass) => collect(checkRuntimeClass(runtimeClass)),
  validateUpdate: (next, previous) => [
    'create',
    ...checkRuntimeClass(next),
    'update',
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
  if (overhead?.podFixed)
    yield* validateContainerResources({ limits: overhead.podFixed }, new Set(), FieldPath.of('overhead'));
  const path = FieldPath.of('scheduling');
  yield* validateLabels(scheduling?.nodeSelector, path.child('nodeSelector'));
  yield* checkTolerations(scheduling?.tolerations ?? [], path.child('tolerations'));
}

/** Refuses duplicates that differ only in their seconds. */
function* checkTolerations(tolerations: readonly Toleration[], path: FieldPath): Check {
  yield* validateTolerations(tolerations, path);
  const seen = new Set<string>();
  for (const [
    index,
    { key = '', operator = '', value = '', effect = '', tolerationSeconds = null },
  ] of tolerations.entries()) {
    const identity = JSON.stringify([key, operator, value, effect]);
    if (seen.has(identity))
      yield duplicate(path.index(index), {
        Key: key,
        Operator: operator,
        Value: value,
        Effect: effect,
        TolerationSeconds: tolerationSeconds,
      });
    seen.add(identity);
  }
}
