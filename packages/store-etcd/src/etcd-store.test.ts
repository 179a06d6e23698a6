import { describeStore, rebased } from '@pintle/store/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { openEtcdStore } from './etcd-store.ts';
import { etcdVersions, findEtcd } from './testing/etcd-binary.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

for (const version of etcdVersions) {
  const binary = findEtcd(version);
  for (const members of [1, 3]) {
    describe.skipIf(binary === undefined)(`etcd ${version} of ${members}`, () => {
      let etcd: EtcdProcess;
      let stores = 0;
      beforeAll(async () => {
        etcd = await EtcdProcess.start({ binary: binary!, members });
      });
      afterAll(async () => await etcd?.[Symbol.asyncDispose]());

      const open: Parameters<typeof describeStore>[1] = async ({ clock: _, ...options } = {}) =>
        rebased(
          await openEtcdStore({
            ...options,
            endpoints: etcd.endpoints,
            prefix: `/case-${stores++}/`,
            compactionIntervalMs: 0,
          }),
        );
      describeStore('the store', open, { expiry: 'engine' });
    });
  }
}
