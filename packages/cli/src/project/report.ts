import type { KubernetesObject } from '@pintle/machinery';
import { terminalText } from '../terminal-text.ts';

export type Output = 'text' | 'json';

const SIGNS = { create: '+', edit: '~', same: ' ', delete: '-', skip: ' ' } as const;

/** Says what became of which objects, as it happens; for a program, all of it at the end. */
export class Report {
  readonly #output: Output;
  readonly #objects: object[] = [];
  /** Whether the last line may be written over. */
  #isOpen = false;

  constructor(output: Output = 'text') {
    this.#output = output;
  }

  add(change: keyof typeof SIGNS, { apiVersion, kind, metadata }: KubernetesObject, why = ''): void {
    const { namespace, name } = metadata;
    this.#objects.push({ change, apiVersion, kind, ...(namespace && { namespace }), name });
    const place = namespace ? `${namespace}/` : '';
    this.say(`${SIGNS[change]} ${kind} ${place}${name}${why === '' ? '' : ` (${why})`}`);
  }

  say(line: string): void {
    if (this.#output !== 'text') return;
    process.stdout.write(`${this.#isOpen ? '\n' : ''}${terminalText(line)}\n`);
    this.#isOpen = false;
  }

  /** How far it is: on a terminal each such line takes the place of the one before. */
  progress(line: string): void {
    if (!process.stdout.isTTY) {
      this.say(line);
      return;
    }
    if (this.#output !== 'text') return;
    process.stdout.write(`\r\u001b[K${terminalText(line).slice(0, (process.stdout.columns ?? 80) - 1)}`);
    this.#isOpen = true;
  }

  /** `nothing` is said when there was nothing to do. */
  finish(nothing = ''): void {
    if (this.#isOpen) process.stdout.write('\n');
    this.#isOpen = false;
    if (this.#output === 'json') process.stdout.write(`${JSON.stringify({ objects: this.#objects }, null, 2)}\n`);
    else if (this.#objects.length === 0 && nothing !== '') this.say(nothing);
  }
}
