import type { KubernetesObject } from '@pintle/machinery';
import type { Cell, Column, Printer } from '@pintle/machinery/rules';
import type { PodTemplateSpec } from '../../generated/core/v1.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../common/printers.ts';

export const containerColumns: readonly Column[] = [wideColumn('Containers'), wideColumn('Images')];
export const selectorColumn: Column = wideColumn('Selector');

/** Returns the names and the images of a template's containers. */
export function containerCells(template: PodTemplateSpec | undefined): [Cell, Cell] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

/** Prints the desired, current and ready replicas. */
export function replicaPrinter<T extends Replicated>(formatSelector: (object: T) => string): Printer<T> {
  return {
    columns: [
      nameColumn,
      column('Desired', 'integer'),
      column('Current', 'integer'),
      column('Ready', 'integer'),
      ageColumn,
      ...containerColumns,
      selectorColumn,
    ],
    row: (object, context) => [
      nameOf(object),
      object.spec?.replicas ?? 0,
      object.status?.replicas ?? 0,
      object.status?.readyReplicas ?? 0,
      age(object, context),
      ...containerCells(object.spec?.template),
      formatSelector(object),
    ],
  };
}

type Replicated = KubernetesObject & {
  spec?: { replicas?: number; template?: PodTemplateSpec };
  status?: { replicas: number; readyReplicas?: number };
};
