import { badRequestError, quote } from '@pintle/machinery/errors';
import { pathSegmentName } from '@pintle/machinery/names';

/** What a path cannot hold as one of its segments names no object. */
export function guardName(name: string): void {
  const why = name === '.' || name === '..' ? `may not be '${name}'` : name.includes('%') && "may not contain '%'";
  if (why) throw badRequestError(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

/** A name that an object gives for another one: it may be missing, or be none that could stand in a path. */
export function guardReferredName(name: string): void {
  if (name === '') throw badRequestError('Name parameter required.');
  const wrong = pathSegmentName(name, false);
  if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${quote(name)}: ${wrong.join(';')}`);
}
