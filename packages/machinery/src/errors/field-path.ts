/**
 * The path of a field in an object: `spec.containers[0].env[name]`. Immutable; making one allocates a small object, and
 * the text is made on demand.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  /** The name of a field, the index of an item, or a key of a map in brackets. */
  readonly #part: string | number;
  readonly #isField: boolean;

  private constructor(parent: FieldPath | undefined, part: string | number, isField: boolean) {
    this.#parent = parent;
    this.#part = part;
    this.#isField = isField;
  }

  /** `FieldPath.of('spec', 'template')` is `spec.template`. An empty first name is printed as `[]`. */
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
