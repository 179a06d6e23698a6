/** Where a walker stands in a value. Moving costs a push or a pop; the text is made only when somebody asks for it. */
export class PathStack {
  readonly #steps: Step[] = [];

  get depth(): number {
    return this.#steps.length;
  }

  push(step: string | number): void {
    this.#steps.push(step);
  }

  /** Into a map, whose keys stand in brackets: `limits[cpu]`. */
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

  /** The same as steps, a key of a map as any other. */
  steps(): (string | number)[] {
    return this.#steps.map((step) => (typeof step === 'object' ? step.key : step));
  }

  /** The path of a field of the value where the walker stands. */
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
