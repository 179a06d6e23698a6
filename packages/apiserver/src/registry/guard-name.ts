import { badRequestError } from '@pintle/machinery/errors';

/** What a path cannot hold as one of its segments names no object. */
export function guardName(name: string): void {
  const why = name === '.' || name === '..' ? `may not be '${name}'` : name.includes('%') && "may not contain '%'";
  if (why) throw badRequestError(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}
