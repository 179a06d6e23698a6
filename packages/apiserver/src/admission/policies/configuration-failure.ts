/** A policy cannot be evaluated as it stands. Whether the request goes on is for its `failurePolicy` to say. */
export class ConfigurationFailure extends Error {
  override readonly name = 'ConfigurationFailure';
}
