import { expect, test } from 'vitest';
import { deploymentOf, phaseOf } from './children.ts';
import { DEFAULT_VIEWER_IMAGE, type MarkdownView } from './markdown-view.ts';

const view = (spec: Partial<MarkdownView['spec']>): MarkdownView => ({
  apiVersion: 'view.pintle.dev/v1',
  kind: 'MarkdownView',
  metadata: { name: 'book' },
  spec: { markdowns: {}, replicas: 2, ...spec },
});

test.each([
  [undefined, 'NotReady'],
  [0, 'NotReady'],
  [1, 'Available'],
  [2, 'Healthy'],
  [3, 'Healthy'],
] as const)('of two viewers %s answer: the view is %s', (availableReplicas, phase) => {
  const status = availableReplicas === undefined ? {} : { availableReplicas };
  expect(phaseOf(view({}), { status })).toBe(phase);
});

test('a view that no webhook has seen is shown by the default image', () => {
  const image = (spec: Partial<MarkdownView['spec']>) =>
    deploymentOf(view(spec)).spec?.template?.spec?.containers?.[0]?.image;
  expect(image({})).toBe(DEFAULT_VIEWER_IMAGE);
  expect(image({ viewerImage: 'mine:v1' })).toBe('mine:v1');
});
