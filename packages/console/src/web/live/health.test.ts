import { expect, test } from 'vitest';
import { healthOf } from './health.ts';

const metadata = { name: 'a', uid: '1', resourceVersion: '1' };
const ready = [{ type: 'Ready', status: 'True' }];

test.each([
  ['replicas that are counted', { spec: { replicas: 2 }, status: { readyReplicas: 1 } }, 'busy', '1/2 ready'],
  ['none is ready yet', { spec: { replicas: 2 }, status: { unavailableReplicas: 2 } }, 'busy', '0/2 ready'],
  ['replicas that nobody counts', { spec: { replicas: 2 }, status: { conditions: ready } }, 'good', 'Ready'],
  ['no status', { spec: { replicas: 2 } }, 'plain', ''],
])('%s', (_, object, tone, words) => expect(healthOf({ metadata, ...object })).toEqual({ tone, words }));
