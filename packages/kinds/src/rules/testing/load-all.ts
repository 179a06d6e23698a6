import type { ResourceRules } from '@pintle/machinery/rules';
import type { RulesLoaders } from '../generic-rules.ts';

/** Loads the rules of all kinds into a table, for tests of all of them. */
export async function loadAll(loaders: RulesLoaders): Promise<Record<string, Record<string, ResourceRules>>> {
  const table: Record<string, Record<string, ResourceRules>> = {};
  for (const [group, kinds] of Object.entries(loaders)) {
    table[group] = {};
    for (const [kind, load] of Object.entries(kinds)) table[group][kind] = (await load()) as ResourceRules;
  }
  return table;
}
