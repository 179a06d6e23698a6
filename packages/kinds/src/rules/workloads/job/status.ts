import { duplicate, type FieldError, FieldPath, invalid, omitValue, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Job, JobSpec, JobStatus } from '../../../generated/batch/v1.ts';
import { eachItem, nonNegativeFields } from '../../common/checks.ts';
import { firstOverlap, parseIndexes } from './indexes.ts';

const path = FieldPath.of('status');
const conditionsPath = path.child('conditions');

/**
 * Checks a status alone and as the successor of the previous one. Existing errors are reported only when a field that
 * they depend on changes.
 */
export function validateJobStatus(next: Job, previous: Job): FieldError[] {
  const change = new StatusChange(next.spec, next.status ?? {}, previous.status ?? {});
  return [...validateCounters(change.next), ...change.validate(), ...change.validateTransition()];
}

function validateCounters(status: JobStatus): FieldError[] {
  return [
    ...nonNegativeFields(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], path),
    ...validateUncounted(status),
  ];
}

function validateUncounted({ uncountedTerminatedPods: uncounted }: JobStatus): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    eachItem(uncounted?.[list], path.child('uncountedTerminatedPods', list), (uid, at) => {
      if (uid === '') return [invalid(at, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** Two statuses of one Job, and the changes between them that rules depend on. */
class StatusChange {
  readonly next: JobStatus;
  readonly #previous: JobStatus;
  readonly #spec: JobSpec | undefined;

  constructor(spec: JobSpec | undefined, next: JobStatus, previous: JobStatus) {
    this.#spec = spec;
    this.next = next;
    this.#previous = previous;
  }

  validate(): FieldError[] {
    const { next } = this;
    const isComplete = hasCondition(next, 'Complete');
    const isFailed = hasCondition(next, 'Failed');
    const hasFailureTarget = hasCondition(next, 'FailureTarget');
    const hasCriteria = hasCondition(next, 'SuccessCriteriaMet');
    const completeChanged = this.#hasTurned('Complete');
    return [
      ...this.#refuse(
        (completeChanged || this.#hasTurned('Failed')) && isComplete && isFailed,
        'cannot set Complete=True and Failed=true conditions',
      ),
      ...this.#refuse(
        (completeChanged || this.#hasTurned('FailureTarget')) && isComplete && hasFailureTarget,
        'cannot set Complete=True and FailureTarget=true conditions',
      ),
      ...this.#validateTimes(isComplete, completeChanged),
      ...this.#refuse(
        (this.#hasTurned('Failed') || this.#hasChanged('failedIndexes')) && isFailed && !hasFailureTarget,
        'cannot set Failed=True condition without the FailureTarget=true condition',
      ),
      ...this.#refuse(
        (completeChanged || this.#hasTurned('SuccessCriteriaMet')) && isComplete && !hasCriteria,
        'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      ),
      ...this.#validateFinished(),
      ...this.#validateIndexes(),
      ...this.#validatePods(),
      ...this.#refuse(hasCriteria && isFailed, 'cannot set SuccessCriteriaMet=True and Failed=true conditions'),
      ...this.#refuse(
        hasCriteria && hasFailureTarget,
        'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ),
      ...this.#refuse(
        this.#spec?.successPolicy !== undefined && !hasCriteria && isComplete,
        'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
      ),
    ];
  }

  /** Final conditions and completed indexes must not be lost. */
  validateTransition(): FieldError[] {
    const { next } = this;
    const previous = this.#previous;
    const terminal = ['Failed', 'Complete', 'FailureTarget'];
    return [
      ...terminal.flatMap((type) =>
        this.#refuse(
          hasCondition(previous, type) && !hasCondition(next, type),
          `cannot disable the terminal ${type}=True condition`,
        ),
      ),
      ...this.#validateRising('failed', true),
      ...this.#validateRising('succeeded', !this.#isElastic()),
      ...this.#validateFixedTimes(),
      ...this.#refuse(
        hasCondition(previous, 'SuccessCriteriaMet') && !hasCondition(next, 'SuccessCriteriaMet'),
        'cannot disable the SuccessCriteriaMet=True condition',
      ),
      ...this.#refuse(
        hasCondition(previous, 'Complete') &&
          !hasCondition(previous, 'SuccessCriteriaMet') &&
          hasCondition(next, 'SuccessCriteriaMet'),
        'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
      ),
    ];
  }

  #validateTimes(isComplete: boolean, completeChanged: boolean): FieldError[] {
    const { startTime, completionTime } = this.next;
    const at = path.child('completionTime');
    const mayHaveChanged = completeChanged || this.#hasChanged('completionTime');
    const errors: FieldError[] = [];
    if (mayHaveChanged && completionTime !== undefined && !isComplete)
      errors.push(invalid(at, completionTime, 'cannot set completionTime when there is no Complete=True condition'));
    if (mayHaveChanged && completionTime === undefined && isComplete)
      errors.push(required(at, 'completionTime is required for Complete jobs'));
    const timesChanged = this.#hasChanged('startTime') || this.#hasChanged('completionTime');
    if (timesChanged && startTime !== undefined && completionTime !== undefined && completionTime < startTime)
      errors.push(invalid(at, completionTime, 'must be equal to or after `startTime`'));
    return errors;
  }

  #validateFinished(): FieldError[] {
    const { active = 0, startTime, uncountedTerminatedPods: uncounted } = this.next;
    if (!isFinished(this.next)) return [];
    const turned = !isFinished(this.#previous);
    const errors: FieldError[] = [];
    if ((turned || this.#hasChanged('active')) && active > 0)
      errors.push(invalid(path.child('active'), active, 'active>0 is invalid for finished job'));
    const mayNeverStart = this.#spec?.suspend === true && this.#spec.completions === 0;
    if ((turned || this.#hasChanged('startTime')) && !mayNeverStart && startTime === undefined)
      errors.push(required(path.child('startTime'), 'startTime is required for finished job'));
    const left = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
    if ((turned || this.#hasChanged('uncountedTerminatedPods')) && left > 0)
      errors.push(invalid(path.child('uncountedTerminatedPods'), uncounted, 'must be empty for finished job'));
    return errors;
  }

  #validateIndexes(): FieldError[] {
    const { completedIndexes = '', failedIndexes } = this.next;
    const { completions, backoffLimitPerIndex, completionMode } = this.#spec ?? {};
    const [completedChanged, failedChanged] = [this.#hasChanged('completedIndexes'), this.#hasChanged('failedIndexes')];
    const completedPath = path.child('completedIndexes');
    const failedPath = path.child('failedIndexes');
    const errors: FieldError[] = [];
    if (completedChanged && completions !== undefined)
      errors.push(...badIndexes(completedIndexes, completions, 'completedIndexes', completedPath));
    if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined)
      errors.push(...badIndexes(failedIndexes, completions, 'failedIndexes', failedPath));
    if (completedChanged && completedIndexes !== '' && completionMode !== 'Indexed') {
      const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
      errors.push(invalid(completedPath, completedIndexes, detail));
    }
    if (failedChanged && backoffLimitPerIndex === undefined && failedIndexes !== undefined) {
      const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
      errors.push(invalid(failedPath, failedIndexes, detail));
    }
    if ((completedChanged || failedChanged) && completions !== undefined && failedIndexes && completedIndexes !== '') {
      const index = firstOverlap(completedIndexes, failedIndexes, completions);
      if (index !== undefined)
        errors.push(
          invalid(failedPath, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${index}`),
        );
    }
    return errors;
  }

  #validatePods(): FieldError[] {
    const { terminating = 0, ready, active = 0 } = this.next;
    const finished = isFinished(this.next);
    const turned = finished !== isFinished(this.#previous);
    const errors: FieldError[] = [];
    if ((turned || this.#hasChanged('terminating')) && terminating > 0 && finished)
      errors.push(invalid(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job'));
    if ((this.#hasChanged('ready') || this.#hasChanged('active')) && ready !== undefined && ready > active)
      errors.push(invalid(path.child('ready'), ready, 'cannot set more ready pods than active'));
    return errors;
  }

  #validateRising(counter: 'failed' | 'succeeded', applies: boolean): FieldError[] {
    const [now, before] = [this.next[counter] ?? 0, this.#previous[counter] ?? 0];
    if (!applies || now >= before) return [];
    return [invalid(path.child(counter), now, `cannot decrease the ${counter} counter`)];
  }

  #validateFixedTimes(): FieldError[] {
    const { startTime, completionTime } = this.next;
    const before = this.#previous;
    const errors: FieldError[] = [];
    if (completionTime !== undefined && before.completionTime !== undefined && completionTime !== before.completionTime)
      errors.push(invalid(path.child('completionTime'), completionTime, 'field is immutable'));
    const isResuming = hasCondition(before, 'Suspended') && hasCondition(this.next, 'Suspended', 'False');
    if (before.startTime !== undefined && startTime !== before.startTime && !isResuming && !this.#spec?.suspend)
      errors.push(invalid(path.child('startTime'), startTime, 'field is immutable for unsuspended job once set'));
    return errors;
  }

  /** An indexed Job that was scaled down drops the completed indexes beyond its size. */
  #isElastic(): boolean {
    return this.#spec?.completionMode === 'Indexed' && this.#spec.completions === this.#spec.parallelism;
  }

  #hasTurned(type: string): boolean {
    return hasCondition(this.next, type) !== hasCondition(this.#previous, type);
  }

  #hasChanged(field: keyof JobStatus): boolean {
    return !deepEqual(this.next[field], this.#previous[field]);
  }

  #refuse(isWrong: boolean, detail: string): FieldError[] {
    return isWrong ? [invalid(conditionsPath, omitValue, detail)] : [];
  }
}

function badIndexes(text: string, completions: number, name: string, at: FieldPath): FieldError[] {
  const parsed = parseIndexes(text, completions);
  return 'problem' in parsed ? [invalid(at, text, `error parsing ${name}: ${parsed.problem}`)] : [];
}

export function hasCondition({ conditions = [] }: JobStatus, type: string, status = 'True'): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === status);
}

function isFinished(status: JobStatus): boolean {
  return hasCondition(status, 'Complete') || hasCondition(status, 'Failed');
}
