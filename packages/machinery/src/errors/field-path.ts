/**
 * Where in an object something is: `spec.containers[0].env[name]`. Immutable; building one allocates a small node and
 * the text is made only when somebody asks for it.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #text: string;

  private constructor(parent: FieldPath | undefined, text: string) {
    this.#parent = parent;
    this.#text = text;
  }

  /** `FieldPath.of('spec', 'template')` is `spec.template`. A first field without a name is told as `[]`. */
  static of(name: string, ...more: string[]): FieldPath {
    return new FieldPath(undefined, name === '' ? '[]' : name).child(...more);
  }

  child(...names: string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(path, `.${name}`);
    return path;
  }

  index(position: number): FieldPath {
    return new FieldPath(this, `[${position}]`);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`);
  }

  toString(): string {
    return this.#parent === undefined ? this.#text : this.#parent.toString() + this.#text;
  }
}
