import type { AuditTrail } from '../../request/pipeline.ts';

const FAILURES = 'validation.policy.admission.k8s.io/validation_failure';
const MAX_VALUE_LENGTH = 10 * 1024;
/** Of all that policies leave for one request. What comes after is left out. */
const MAX_TOTAL_LENGTH = 256 * 1024;

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
  #length = 0;

  constructor(trail: AuditTrail | undefined) {
    this.#trail = trail;
  }

  noteFailure(failure: Failure): void {
    const { message, policy, binding } = failure;
    if (this.#hasRoomFor(message.length + policy.length + binding.length)) this.#failures.push(failure);
  }

  annotate(key: string, value: string): void {
    const values = this.#annotations.get(key) ?? new Set<string>();
    const cut = value.slice(0, MAX_VALUE_LENGTH);
    if (!values.has(cut) && !this.#hasRoomFor(cut.length)) return;
    this.#annotations.set(key, values.add(cut));
  }

  #hasRoomFor(length: number): boolean {
    if (this.#length + length > MAX_TOTAL_LENGTH) return false;
    this.#length += length;
    return true;
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
