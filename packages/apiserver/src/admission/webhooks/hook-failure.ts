/** A webhook gave no answer that counts. Whether the request goes on is for its `failurePolicy` to say. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';

  constructor(hook: string, why: string, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(hook)}: ${why}`, options);
  }
}
