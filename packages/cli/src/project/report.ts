import type { KubernetesObject } from '@pintle/machinery';
import { terminalText } from '../terminal-text.ts';

export type Output = 'text' | 'json';

const SIGNS = { create: '+', edit: '~', same: ' ', delete: '-', skip: ' ' } as const;

/** Prints the change of each object as it happens; with JSON output, all of them at the end. */
export class Report {
  readonly #output: Output;
  readonly #objects: object[] = [];
  /** The last line may be overwritten. */
  #isOpen = false;

  constructor(output: Output = 'text') {
    this.#output = output;
  }

  add(change: keyof typeof SIGNS, { apiVersion, kind, metadata }: KubernetesObject, why = ''): void {
    const { namespace, name } = metadata;
    this.#objects.push({ change, apiVersion, kind, ...(namespace && { namespace }), name });
    const place = namespace ? `${namespace}/` : '';
    this.print(`${SIGNS[change]} ${kind} ${place}${name}${why === '' ? '' : ` (${why})`}`);
  }

  print(line: string): void {
    if (this.#output !== 'text') return;
    process.stdout.write(`${this.#isOpen ? '\n' : ''}${terminalText(line)}\n`);
    this.#isOpen = false;
  }

  /** Prints a line of progress, which on a terminal overwrites the previous one. */
  progress(line: string): void {
    if (!process.stdout.isTTY) {
      this.print(line);
      return;
    }
    if (this.#output !== 'text') return;
    process.stdout.write(`\r\u001b[K${terminalText(line).slice(0, (process.stdout.columns ?? 80) - 1)}`);
    this.#isOpen = true;
  }

  /** Prints `nothing` when no object was added. */
  finish(nothing = ''): void {
    if (this.#isOpen) process.stdout.write('\n');
    this.#isOpen = false;
    if (this.#output === 'json') process.stdout.write(`${JSON.stringify({ objects: this.#objects }, null, 2)}\n`);
    else if (this.#objects.length === 0 && nothing !== '') this.print(nothing);
  }
}
