import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';

/** The file that a project means by a module's name. */
export function resolveFrom(directory: string, specifier: string): string {
  try {
    return createRequire(join(directory, 'package.json')).resolve(specifier);
  } catch (error) {
    const detail = `${specifier.replace(/\/package\.json$/, '')} is not installed; run npm install`;
    throw new GenerateError({ code: 'NoOperator', path: directory, detail }, { cause: error });
  }
}
