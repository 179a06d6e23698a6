/** The path of a walker in a value. Moving costs a push or a pop; the text is made on demand. */
export class PathStack {
  readonly #steps: Step[] = [];

  get depth(): number {
    return this.#steps.length;
  }

  push(step: string | number): void {
    this.#steps.push(step);
  }

  /** Enters a value of a map, whose key is printed in brackets: `limits[cpu]`. */
  pushKey(key: string): void {
    this.#steps.push({ key });
  }

  pop(): void {
    this.#steps.pop();
  }

  /** `spec.containers[0].image` */
  toString(): string {
    let text = '';
    for (const step of this.#steps) text = join(text, step);
    return text;
  }

  /** Returns the path as steps, in which a key of a map is like any other. */
  steps(): (string | number)[] {
    return this.#steps.map((step) => (typeof step === 'object' ? step.key : step));
  }

  /** Returns the path of a field of the current value. */
  child(name: string): string {
    return join(this.toString(), name);
  }
}

type Step = string | number | { readonly key: string };

function join(parent: string, step: Step): string {
  if (typeof step === 'number') return `${parent}[${step}]`;
  if (typeof step === 'object') return `${parent}[${step.key}]`;
  return parent === '' ? step : `${parent}.${step}`;
}
