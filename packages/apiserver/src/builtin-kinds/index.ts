export { builtinReader } from './builtin-reader.ts';
