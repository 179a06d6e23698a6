import type { FieldError } from '@pintle/machinery/errors';
import { invalid, required } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import { DEFAULT_VIEWER_IMAGE, MarkdownView } from './markdown-view.ts';

const MAX_REPLICAS = 5;

/** Adds what the schema cannot express: a default that depends on the operator, and the rules of a book. */
export function addWebhooks(manager: Manager): void {
  manager.webhooks
    .for(MarkdownView)
    .default((view) => {
      if (view.spec) view.spec.viewerImage ??= DEFAULT_VIEWER_IMAGE;
    })
    .validate({
      create: (view, { warn }) => {
        if (view.spec.viewerImage?.endsWith(':latest'))
          warn('spec.viewerImage: ":latest" is another image every time it is pulled');
        return problemsOf(view);
      },
      update: (view) => problemsOf(view),
    });
}

function problemsOf({ spec: { markdowns, replicas } }: MarkdownView): FieldError[] {
  const problems: FieldError[] = [];
  if (replicas > MAX_REPLICAS) problems.push(invalid('spec.replicas', replicas, `must be at most ${MAX_REPLICAS}`));
  if (!Object.hasOwn(markdowns, 'SUMMARY.md'))
    problems.push(required('spec.markdowns[SUMMARY.md]', 'a book begins with its summary'));
  for (const name of Object.keys(markdowns)) {
    if (!/^[-._a-zA-Z0-9]{1,253}$/.test(name))
      problems.push(invalid('spec.markdowns', name, 'must be the name of a file'));
  }
  return problems;
}
