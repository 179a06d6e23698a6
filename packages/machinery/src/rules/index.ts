export type { Cell, Column, NameRule, Printer, ResourceRules, SubresourceRules } from './resource-rules.ts';
