import { openLmdbStore } from '@pintle/store';

/** Keys of the server's own, which hold no objects. */
const OWN_PREFIX = '_pintle/';
const SEALED_COLLECTION = '/secrets/';

/**
 * Finds what should not be in the store of a server that was attacked: an object lies where its name and namespace say, and its
 * name is one that can be written in a URL.
 */
export async function storeViolations(folder: string): Promise<string[]> {
  const store = await openLmdbStore(folder);
  try {
    const { records } = await store.range({ start: '!', end: '~' });
    return records.flatMap(({ key, value }) => violationsOf(key, value));
  } finally {
    await store.close();
  }
}

function violationsOf(key: string, value: Uint8Array): string[] {
  if (key.startsWith(OWN_PREFIX)) return [];
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const isOdd = parts.some((part) => part === '' || part === '.' || part === '..' || /[%\p{Cc}]/u.test(part));
  if (isOdd || parts.length < 3 || parts.length > 4) return [`odd key ${JSON.stringify(key)}`];
  if (key.includes(SEALED_COLLECTION)) return [];
  const text = Buffer.from(value).toString();
  return text.includes(JSON.stringify(name)) ? [] : [`${JSON.stringify(key)} does not hold its own name`];
}
