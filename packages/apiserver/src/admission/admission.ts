import type { Operation } from '@pintle/store';
import type { Admission, AdmissionRequest } from '../resource/admission-request.ts';

/**
 * One pass of the mutating plugins. A plugin that changes the object from outside the server asks for a second pass, so
 * that the others see the change. There is no third pass.
 */
export interface MutationPass {
  readonly isReinvocation: boolean;
  requestReinvocation(): void;
}

/** Looks at writes after they are known to be authorized, and may change them, refuse them or add to them. */
export interface AdmissionPlugin {
  /** As `--disable-admission-plugins` spells it. */
  readonly name: string;
  /** True when the plugin looks at such a write. Called for every write, so it has to be quick. */
  handles(request: AdmissionRequest): boolean;
  /** Called before the rules of the kind are applied. Throws to refuse. */
  mutate?(request: AdmissionRequest, pass: MutationPass): Promise<void> | void;
  /** Called when the object is valid, as it would be stored. Throws to refuse. */
  validate?(request: AdmissionRequest): Promise<void> | void;
  /**
   * Returns operations that commit together with the write or not at all, such as the new usage of a quota. Called
   * last, and again when the write meets a conflict.
   */
  reserve?(request: AdmissionRequest): Promise<readonly Operation[]>;
}

/** Runs the plugins in their order. Every write of a client passes through, whatever its verb. */
export class AdmissionChain implements Admission {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** True when some plugin looks at such a write. */
  handles(request: AdmissionRequest): boolean {
    return this.#plugins.some((plugin) => plugin.handles(request));
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    let isChanged = false;
    const requestReinvocation = (): void => {
      isChanged = true;
    };
    await this.#mutateOnce(request, { isReinvocation: false, requestReinvocation });
    if (isChanged) await this.#mutateOnce(request, { isReinvocation: true, requestReinvocation });
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.validate !== undefined && plugin.handles(request)) await plugin.validate(request);
    }
  }

  async reserve(request: AdmissionRequest): Promise<readonly Operation[]> {
    const operations: Operation[] = [];
    for (const plugin of this.#plugins) {
      if (plugin.reserve !== undefined && plugin.handles(request)) operations.push(...(await plugin.reserve(request)));
    }
    return operations;
  }

  /** Runs all steps at once: for deletes, and for objects such as an Eviction that are sent but never stored. */
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
