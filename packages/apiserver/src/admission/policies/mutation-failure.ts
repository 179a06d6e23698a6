/** What a policy wants cannot be done to the object. Whether the request goes on is for its `failurePolicy` to say. */
export class MutationFailure extends Error {
  override readonly name = 'MutationFailure';
}
