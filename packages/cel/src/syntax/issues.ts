/** An error in an expression that is found before evaluation. */
export interface Issue {
  /** Position in the source, in UTF-16 units. */
  readonly at: number;
  readonly message: string;
}

/** Number of issues that are shown. */
const maxShown = 100;
const maxSnippetLength = 16_384;

/**
 * Formats issues as Kubernetes does, each with its line and a marker:
 *
 *     ERROR: <input>:1:5: undefined field 'zzz'
 *      | self.zzz == 'a'
 *      | ....^
 */
export function describeIssues(source: string, issues: readonly Issue[]): string {
  const lines = new Lines(source);
  const shown = [...issues].sort((a, b) => a.at - b.at).slice(0, maxShown);
  const texts = shown.map((issue) => describe(issue, lines));
  if (issues.length > maxShown) texts.push(`${issues.length - maxShown} more errors were truncated`);
  return texts.join('\n');
}

function describe({ at, message }: Issue, lines: Lines): string {
  const { number, text, before } = lines.at(at);
  const column = [...before].length;
  // An empty source has no first column.
  const head = `ERROR: <input>:${number}:${lines.isEmpty ? 0 : column + 1}: ${message}`;
  if (lines.isEmpty || text.length > maxSnippetLength) return head;
  const wide = (character: string) => character.codePointAt(0)! > 0x7f;
  const dots = [...before].map((character) => (wide(character) ? '\uff0e' : '.')).join('');
  const marked = text.slice(before.length);
  const mark = marked !== '' && wide(marked) ? '\uff3e' : '^';
  return `${head}\n | ${text.replaceAll('\t', ' ')}\n | ${dots}${mark}`;
}

class Lines {
  readonly #source: string;
  readonly #starts: number[] = [0];

  get isEmpty(): boolean {
    return this.#source === '';
  }

  constructor(source: string) {
    this.#source = source;
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  at(offset: number): { readonly number: number; readonly text: string; readonly before: string } {
    let index = this.#starts.findLastIndex((start) => start <= offset);
    if (index < 0) index = 0;
    const start = this.#starts[index]!;
    const next = this.#starts[index + 1];
    const text = this.#source.slice(start, next === undefined ? undefined : next - 1);
    return { number: index + 1, text, before: text.slice(0, offset - start) };
  }
}
