import { STRING } from '../types/type.ts';
import { func, global, type Library } from './declare.ts';

/** Functions for JSON patches: escapes a key for a path. */
export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    func(
      'jsonpatch.escapeKey',
      global('string_jsonpatch_escapeKey_string', [STRING], STRING, (key: string) =>
        key.replace(/[~/]/g, (sign) => (sign === '~' ? '~0' : '~1')),
      ),
    ),
  ],
};
