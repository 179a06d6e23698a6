import type { GroupKind } from '@pintle/machinery';
import { getOwn } from '@pintle/machinery/json';
import { columnTexts } from './generated/column-texts.ts';

/** Returns what columns of a kind show, by their names; empty for those that do not show a field. */
export function columnDescriptions({ group, kind }: GroupKind): (column: string) => string {
  const [own, common] = [columnTexts[`${group}/${kind}`], columnTexts['*']].map(
    (text = '{}') => JSON.parse(text) as Record<string, string>,
  );
  return (column) => getOwn(own!, column) ?? getOwn(common!, column) ?? '';
}
