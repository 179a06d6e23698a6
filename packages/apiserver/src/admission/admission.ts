import type { Operation } from '@pintle/store';
import type { Admission, AdmissionRequest } from '../resource/admission-request.ts';

/**
 * One pass of a write through those who may change it. Who changes it from outside the server asks for a second pass, so
 * that all others see what it has become. There is no third.
 */
export interface MutationPass {
  readonly isSecond: boolean;
  askForAnother(): void;
}

/** Looks at writes after they are known to be authorized, and may change them, refuse them or add to them. */
export interface AdmissionPlugin {
  /** As `--disable-admission-plugins` spells it. */
  readonly name: string;
  /** Whether it looks at such a write at all. Asked for every write, so it has to be quick. */
  handles(request: AdmissionRequest): boolean;
  /** Before the object's own rules are applied. Throws to refuse. */
  mutate?(request: AdmissionRequest, pass: MutationPass): Promise<void> | void;
  /** After the object has been found valid, as it would be stored. Throws to refuse. */
  validate?(request: AdmissionRequest): Promise<void> | void;
  /**
   * Writes that take effect together with this one or not at all: what a quota has used. Comes last; asked again when
   * the write meets a conflict.
   */
  settle?(request: AdmissionRequest): Promise<readonly Operation[]>;
}

/** The plugins, in their order. Every write of a client passes it, whichever verb it came by. */
export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Whether anybody looks at such a write. */
  handles(request: AdmissionRequest): boolean {
    return this.#plugins.some((plugin) => plugin.handles(request));
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    let isChanged = false;
    const askForAnother = (): void => {
      isChanged = true;
    };
    await this.#mutateOnce(request, { isSecond: false, askForAnother });
    if (isChanged) await this.#mutateOnce(request, { isSecond: true, askForAnother });
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.validate !== undefined && plugin.handles(request)) await plugin.validate(request);
    }
  }

  async settle(request: AdmissionRequest): Promise<readonly Operation[]> {
    const operations: Operation[] = [];
    for (const plugin of this.#plugins) {
      if (plugin.settle !== undefined && plugin.handles(request)) operations.push(...(await plugin.settle(request)));
    }
    return operations;
  }

  /** For what is asked of an object and never stored itself, and for deletes: all steps at once. */
  async admit(request: AdmissionRequest): Promise<void> {
    await this.mutate(request);
    await this.validate(request);
  }

  async #mutateOnce(request: AdmissionRequest, pass: MutationPass): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.mutate !== undefined && plugin.handles(request)) await plugin.mutate(request, pass);
    }
  }
}
