import type { Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { targetPort } from './service-pods.ts';

test('the named ports of a pod are gone through once, however many ports a service has', () => {
  let reads = 0;
  const ports = Array.from({ length: 1_000 }, (_, index) => ({
    containerPort: index + 1,
    get name() {
      reads++;
      return `p${index}`;
    },
  }));
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', ports }] },
  };
  for (let i = 0; i < 1_000; i++) expect(targetPort({ port: 80, targetPort: `p${i}` }, pod)).toBe(i + 1);
  expect(targetPort({ port: 80, targetPort: 'p1', protocol: 'UDP' }, pod)).toBeUndefined();
  expect(reads).toBeLessThan(5_000);
});
