import type { AuditTrail } from '../../audit/audit-trail.ts';

const FAILURES = 'validation.policy.admission.k8s.io/validation_failure';
const MAX_VALUE_LENGTH = 10 * 1024;

interface Failure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  readonly index: number;
  readonly actions: readonly string[];
}

/** What policies leave in the audit of a request. Values of one key, from several bindings, stand in one list. */
export class PolicyAudit {
  readonly #trail: AuditTrail | undefined;
  readonly #failures: Failure[] = [];
  readonly #annotations = new Map<string, Set<string>>();

  constructor(trail: AuditTrail | undefined) {
    this.#trail = trail;
  }

  noteFailure(failure: Failure): void {
    this.#failures.push(failure);
  }

  annotate(key: string, value: string): void {
    const values = this.#annotations.get(key) ?? new Set<string>();
    this.#annotations.set(key, values.add(value.slice(0, MAX_VALUE_LENGTH)));
  }

  publish(): void {
    for (const [key, values] of this.#annotations) this.#trail?.annotate(key, [...values].join(', '));
    if (this.#failures.length === 0) return;
    const failures = this.#failures.map(({ message, policy, binding, index, actions }) => ({
      message,
      policy,
      binding,
      expressionIndex: index,
      validationActions: actions,
    }));
    this.#trail?.annotate(FAILURES, JSON.stringify(failures));
  }
}
