import { FieldPath, forbidden } from '@pintle/machinery/errors';
import type { ResourceRules } from '@pintle/machinery/rules';
import { table } from '@pintle/machinery/table';
import type { PriorityClass } from '../../../generated/scheduling/v1.ts';
import { type Check, checkChoice, checkUnchanged, collect } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const maxUserPriority = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = table({
  'system-cluster-critical': 2 * maxUserPriority,
  'system-node-critical': 2 * maxUserPriority + 1000,
});

export const priorityClassRules: ResourceRules<PriorityClass> = {
  permanent: {
    names: new Set(Object.keys(systemClasses)),
    reason: 'this is a system priority class and cannot be deleted',
  },
  tracksGeneration: true,
  /** The value never changes. */
  generationCovers: ({ value }) => value,
  default: (priorityClass) => {
    priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validate: (priorityClass) => collect(checkClass(priorityClass)),
  validateUpdate: (next, previous) => [
    ...(next.value === previous.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...checkUnchanged(FieldPath.of('preemptionPolicy'), next.preemptionPolicy, previous.preemptionPolicy),
  ],
  printer: {
    columns: [
      nameColumn,
      column('Value', 'integer'),
      column('Global-Default', 'boolean'),
      ageColumn,
      column('PreemptionPolicy'),
    ],
    row: (priorityClass, context) => [
      nameOf(priorityClass),
      priorityClass.value ?? 0,
      priorityClass.globalDefault ?? false,
      age(priorityClass, context),
      priorityClass.preemptionPolicy ?? '',
    ],
  },
};

function* checkClass({ metadata, value = 0, globalDefault, preemptionPolicy }: PriorityClass): Check {
  const { name = '' } = metadata;
  if (name.startsWith('system-')) {
    const problem = systemClassProblem(name, value, globalDefault ?? false);
    if (problem !== undefined)
      yield forbidden(
        'metadata.name',
        `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
      );
  } else if (value > maxUserPriority) {
    yield forbidden('value', `maximum allowed value of a user defined priority is ${maxUserPriority}`);
  }
  if (preemptionPolicy !== undefined)
    yield* checkChoice(FieldPath.of('preemptionPolicy'), preemptionPolicy, ['PreemptLowerPriority', 'Never']);
}

function systemClassProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemClasses[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
