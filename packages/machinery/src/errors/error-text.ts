/** Most causes that are included. */
const MAX_CAUSES = 8;

/**
 * Returns the message of an error and of its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:1`. Omits a cause
 * whose text is already in the message.
 */
export function errorText(error: unknown): string {
  const said: string[] = [];
  let current = error;
  for (let count = 0; count <= MAX_CAUSES && current !== undefined && current !== null; count++) {
    const text = ownText(current);
    if (text !== '' && !said.some((each) => each.includes(text))) said.push(text);
    current = current instanceof Error ? current.cause : undefined;
  }
  return said.length > 0 ? said.join(': ') : nameOf(error);
}

/** An AggregateError has no message, such as that of a host whose addresses all refuse connections: joins those of its errors. */
function ownText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'object' ? '' : String(error);
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  const texts = error.errors.slice(0, MAX_CAUSES).map((each: unknown) => (each as Partial<Error>)?.message ?? '');
  return [...new Set(texts)].filter((text) => text !== '').join(', ');
}

function nameOf(error: unknown): string {
  if (error instanceof Error) return error.name;
  return typeof error === 'object' ? 'an object that is no error' : String(error);
}
