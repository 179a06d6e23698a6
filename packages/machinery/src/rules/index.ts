export type {
  Cell,
  Column,
  Finding,
  Growth,
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
