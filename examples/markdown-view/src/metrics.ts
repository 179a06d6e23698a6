import { gauge, type Manager } from '@pintle/operator';
import { MarkdownView, PHASES } from './markdown-view.ts';

/** Adds a gauge for each view and phase: 1 for the current phase. Deleted views disappear from it. */
export function addMetrics(manager: Manager): void {
  manager.count(
    gauge('markdownview_phase', 'How well the viewers of a view do', ['namespace', 'name', 'phase'], (family) => {
      for (const { cache } of manager.informers.findEach(MarkdownView) ?? []) {
        for (const { metadata, status } of cache.list())
          for (const phase of PHASES)
            family.cell(metadata.namespace, metadata.name, phase).value = status?.phase === phase ? 1 : 0;
      }
    }),
  );
}
