/** Where a walker stands in a value. Moving costs a push or a pop; the text is made only when somebody asks for it. */
export class PathStack {
  readonly #steps: (string | number)[] = [];

  get depth(): number {
    return this.#steps.length;
  }

  push(step: string | number): void {
    this.#steps.push(step);
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

  /** The path of a field of the value where the walker stands. */
  child(name: string): string {
    return join(this.toString(), name);
  }
}

function join(parent: string, step: string | number): string {
  if (typeof step === 'number') return `${parent}[${step}]`;
  return parent === '' ? step : `${parent}.${step}`;
}
