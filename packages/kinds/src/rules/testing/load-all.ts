import type { ResourceRules } from '@pintle/machinery/rules';
import type { RulesLoaders } from '../generic-rules.ts';

/** The rules of all kinds in a table, for tests that go through them. */
export async function loadAll(loaders: RulesLoaders): Promise<Record<string, Record<string, ResourceRules>>> {
  const table: Record<string, Record<string, ResourceRules>> = {};
  for (const [group, kinds] of Object.entries(loaders)) {
    table[group] = {};
    for (const [kind, load] of Object.entries(kinds)) table[group][kind] = (await load()) as ResourceRules;
  }
  return table;
}
