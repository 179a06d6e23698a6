/**
 * Why a body is not an object of its kind, in the words of Go's decoder:
 * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`.
 */
export class TypedReadError extends Error {
  override readonly name = 'TypedReadError';
}
