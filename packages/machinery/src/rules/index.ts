export type {
  Cell,
  Column,
  MetadataCheck,
  NameRule,
  Printer,
  ResourceRules,
  RowCondition,
  SubresourceRules,
  WriteContext,
} from './resource-rules.ts';
export type { Steps } from './steps.ts';
export { finish } from './steps.ts';
