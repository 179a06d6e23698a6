import type { ResourceRules } from '@pintle/machinery/rules';

/**
 * How to load the rules of each kind, by group, then kind; all versions of a kind share them. The core group is the empty
 * string. The table is asked by kind, so that rules only ever meet objects of the kind they are for.
 */
export type RulesLoaders = Readonly<Record<string, Readonly<Record<string, () => Promise<ResourceRules<never>>>>>>;
