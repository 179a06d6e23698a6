import type { Cell, Column } from '@pintle/machinery/rules';
import type { PodTemplateSpec } from '../../generated/core/v1.ts';
import { wideColumn } from '../common/printers.ts';

export const containerColumns: readonly Column[] = [wideColumn('Containers'), wideColumn('Images')];
export const selectorColumn: Column = wideColumn('Selector');

/** The names and the images of a template's containers. */
export function containerCells(template: PodTemplateSpec | undefined): [Cell, Cell] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}
