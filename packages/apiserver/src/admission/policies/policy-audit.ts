import type { AuditTrail } from '../../request/pipeline.ts';

const FAILURES = 'validation.policy.admission.k8s.io/validation_failure';
const MAX_VALUE_LENGTH = 10 * 1024;
/** Length of all audit annotations of policies for one request. Annotations beyond it are dropped. */
const MAX_TOTAL_LENGTH = 256 * 1024;

interface Failure {
  readonly message: string;
  readonly policy: string;
  readonly binding: string;
  readonly index: number;
  readonly actions: readonly string[];
}

/** Audit annotations of policies for one request. The values of a key from several bindings become one list. */
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
