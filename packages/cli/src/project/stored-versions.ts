import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '@pintle/machinery/json';

interface Move {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
}

/** Stored versions of resources, by `Kind.group`, in the code that `pintle dev` ran last. They outlast the command, as its data does. */
export class StoredVersions {
  readonly #path: string;

  constructor(directory: string) {
    this.#path = join(directory, '.pintle', 'stored-versions.json');
  }

  /** Returns the first resource whose stored version is another than it was. */
  movedTo(current: Readonly<Record<string, string>>): Move | undefined {
    const before = this.#read();
    for (const [resource, to] of Object.entries(current)) {
      const from = Object.hasOwn(before, resource) ? before[resource] : undefined;
      if (typeof from === 'string' && from !== to) return { kind: resource.split('.')[0]!, from, to };
    }
    return undefined;
  }

  remember(current: Readonly<Record<string, string>>): void {
    const before = this.#read();
    const next = { ...before, ...current };
    if (JSON.stringify(next) === JSON.stringify(before)) return;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, JSON.stringify(next));
  }

  #read(): Readonly<Record<string, unknown>> {
    try {
      const found: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return isJsonObject(found) ? found : {};
    } catch {
      return {};
    }
  }
}
