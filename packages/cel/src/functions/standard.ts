import { BOOL, BYTES, INT, listType, mapType, paramType, STRING, type Type } from '../types/type.ts';
import { sizeOf } from '../values/describe.ts';
import { conversions } from './conversions.ts';
import { func, global, type Implementation, type Library, member } from './declare.ts';
import { operators } from './operators.ts';
import { matchFunction } from './regex.ts';
import { times } from './times.ts';

const sized: readonly (readonly [string, Type])[] = [
  ['bytes', BYTES],
  ['list', listType(paramType('A'))],
  ['map', mapType(paramType('A'), paramType('B'))],
  ['string', STRING],
];

const size: Implementation = sizeOf;

/** The standard library of CEL. */
export const standardLibrary: Library = {
  name: 'standard',
  functions: [
    ...operators,
    ...conversions,
    ...times,
    matchFunction,
    func(
      'size',
      ...sized.map(([name, type]) => global(`size_${name}`, [type], INT, size)),
      ...sized.map(([name, type]) => member(`${name}_size`, [type], INT, size)),
    ),
    func(
      'contains',
      member('contains_string', [STRING, STRING], BOOL, (text: string, part: string) => text.includes(part)),
    ),
    func(
      'endsWith',
      member('ends_with_string', [STRING, STRING], BOOL, (text: string, end: string) => text.endsWith(end)),
    ),
    func(
      'startsWith',
      member('starts_with_string', [STRING, STRING], BOOL, (text: string, start: string) => text.startsWith(start)),
    ),
  ],
};
