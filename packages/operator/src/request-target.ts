/**
 * The path and the query of a request's target, as they were sent. Takes any target: `new URL` throws for some that
 * clients may send, such as `//`.
 */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}
