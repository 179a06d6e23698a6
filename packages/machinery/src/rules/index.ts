export type {
  Cell,
  Column,
  MetadataCheck,
  NameRule,
  Printer,
  ResourceRules,
  SubresourceRules,
  WriteContext,
} from './resource-rules.ts';
