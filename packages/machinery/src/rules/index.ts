export type {
  Cell,
  Column,
  NameRule,
  Printer,
  ResourceRules,
  SubresourceRules,
  WriteContext,
} from './resource-rules.ts';
