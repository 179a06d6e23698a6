import { badRequestError, quote } from '@pintle/machinery/errors';
import { pathSegmentName } from '@pintle/machinery/names';

/** Throws 400 for a name that cannot be a path segment. */
export function guardName(name: string): void {
  const why = name === '.' || name === '..' ? `may not be '${name}'` : name.includes('%') && "may not contain '%'";
  if (why) throw badRequestError(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

/** Throws 400 for a reference whose name is missing or cannot be a path segment. */
export function guardReferredName(name: string): void {
  if (name === '') throw badRequestError('Name parameter required.');
  const wrong = pathSegmentName(name, false);
  if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${quote(name)}: ${wrong.join(';')}`);
}
