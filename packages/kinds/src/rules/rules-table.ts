import type { ResourceRules } from '@pintle/machinery/rules';

/** Rules by group, then kind; all versions of a kind share them. The core group is the empty string. */
export type RulesTable = Readonly<Record<string, Readonly<Record<string, ResourceRules>>>>;
