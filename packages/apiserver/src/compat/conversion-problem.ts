/**
 * Why a document is no object of a kind, where it was made of parts that were checked before: values are converted one by
 * one, and nobody knows the fields they stand in. `type` is `apps/v1, Kind=Deployment`.
 */
export function conversionProblem(type: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = message.startsWith('illegal base64') ? `error decoding from json: ${message}` : message;
  const problem = text.replace(/ into Go struct field \S+ of type /, ' into Go value of type ');
  return `unable to convert unstructured object to ${type}: ${problem}`;
}
