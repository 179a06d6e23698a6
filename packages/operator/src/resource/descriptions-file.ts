import { readFile } from 'node:fs/promises';
import { ClientError } from '@pintle/client';
import { isJsonObject } from '@pintle/machinery/json';
import type { ResourceDescriptions } from './descriptions.ts';

/**
 * Reads the descriptions file of `pintle dev`; resolves with `undefined` when it does not exist. Throws a `ClientError` of code
 * BadConfig when it is malformed.
 */
export async function readDescriptions(file: string | undefined): Promise<readonly ResourceDescriptions[] | undefined> {
  if (file === undefined) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ClientError({ code: 'BadConfig', what: `PINTLE_DESCRIPTIONS: cannot read ${file}` }, { cause });
  }
  if (!Array.isArray(read) || !read.every(isDescriptions))
    throw new ClientError({ code: 'BadConfig', what: `PINTLE_DESCRIPTIONS: ${file} is not a list of descriptions` });
  return read;
}

function isDescriptions(value: unknown): value is ResourceDescriptions {
  return isJsonObject(value) && typeof value.kind === 'string' && isJsonObject(value.versions);
}
