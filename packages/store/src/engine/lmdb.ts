import { createRequire } from 'node:module';

/**
 * lmdb as one CommonJS file: as modules it is twenty files, which are found, read and compiled one by one at every
 * start.
 */
export const { open } = createRequire(import.meta.url)('lmdb') as typeof import('lmdb');
