import type { RulesTable } from '../rules-table.ts';

export const platformRules: RulesTable = {};
