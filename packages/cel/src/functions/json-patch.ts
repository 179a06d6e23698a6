import { STRING } from '../types/type.ts';
import { func, global, type Library } from './declare.ts';

/** Where expressions make JSON patches: a key as it must stand in a path. */
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
