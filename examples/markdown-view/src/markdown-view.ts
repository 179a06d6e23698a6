import { conditions, defineResource } from '@pintle/operator';
import { z } from 'zod';

export const PHASES = ['NotReady', 'Available', 'Healthy'] as const;
export type Phase = (typeof PHASES)[number];

/** Pages in Markdown, to be shown as a book on the web. */
export const MarkdownView = defineResource({
  group: 'view.pintle.dev',
  version: 'v1',
  kind: 'MarkdownView',
  shortNames: ['mdview'],
  spec: z.object({
    /** Texts by file name; `SUMMARY.md` is the table of contents. */
    markdowns: z.record(z.string(), z.string()),
    replicas: z.int().min(1).default(1),
    /** Default: what the operator was released with; its webhook fills it in. */
    viewerImage: z.string().min(1).optional(),
  }),
  status: z.object({
    /** NotReady: no viewer answers. Available: some do. Healthy: all do. */
    phase: z.enum(PHASES).optional(),
    conditions: conditions(),
  }),
  columns: [
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Status', type: 'string', jsonPath: '.status.phase' },
  ],
});
export type MarkdownView = typeof MarkdownView.Type;

export const DEFAULT_VIEWER_IMAGE = 'peaceiris/mdbook:v0.4.52';
