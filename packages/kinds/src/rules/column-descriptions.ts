import type { GroupKind } from '@pintle/machinery';
import { getOwn } from '@pintle/machinery/json';
import { columnTexts } from './generated/column-texts.ts';

/** Returns the descriptions of a kind's columns, by their names; empty for columns that do not show a field. */
export function columnDescriptions({ group, kind }: GroupKind): (column: string) => string {
  const [own, common] = [columnTexts[`${group}/${kind}`], columnTexts['*']].map(
    (text = '{}') => JSON.parse(text) as Record<string, string>,
  );
  return (column) => getOwn(own!, column) ?? getOwn(common!, column) ?? '';
}
