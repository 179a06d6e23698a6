/**
 * Where in an object something is: `spec.containers[0].env[name]`. Immutable; building one allocates a small node and
 * the text is made only when somebody asks for it.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  /** The name of a field, the position of an item, or a key of a map in brackets. */
  readonly #part: string | number;
  readonly #isField: boolean;

  private constructor(parent: FieldPath | undefined, part: string | number, isField: boolean) {
    this.#parent = parent;
    this.#part = part;
    this.#isField = isField;
  }

  /** `FieldPath.of('spec', 'template')` is `spec.template`. A first field without a name is told as `[]`. */
  static of(name: string, ...more: string[]): FieldPath {
    return new FieldPath(undefined, name === '' ? '[]' : name, true).child(...more);
  }

  child(...names: string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(path, name, true);
    return path;
  }

  index(position: number): FieldPath {
    return new FieldPath(this, position, false);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, key, false);
  }

  toString(): string {
    if (this.#parent === undefined) return `${this.#part}`;
    return this.#parent.toString() + (this.#isField ? `.${this.#part}` : `[${this.#part}]`);
  }
}
