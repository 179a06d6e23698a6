import type { StoreLayout } from '@pintle/store';
import { describeStore, rebased } from '@pintle/store/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { openEtcdStore } from './etcd-store.ts';
import { etcdVersions, findEtcd } from './testing/etcd-binary.ts';
import { EtcdProcess } from './testing/etcd-process.ts';

const inverted = (value: Uint8Array) => Uint8Array.from(value, (byte) => byte ^ 0xff);
const mirror = (text: string) => [...text].reverse().join('');
/** A layout in which keys have another order, and values other bytes. */
const mirrored: StoreLayout = {
  pathOf: (key) => `mirrored/${mirror(Buffer.from(key).toString('hex'))}`,
  keyOf: (path) => {
    const hex = path.startsWith('mirrored/') ? mirror(path.slice('mirrored/'.length)) : undefined;
    return hex === undefined ? undefined : Buffer.from(hex, 'hex').toString();
  },
  seal: (_, value) => inverted(value),
  open: (_, value) => inverted(value),
};

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

      const open = async ({
        clock: _,
        ...options
      }: Parameters<Parameters<typeof describeStore>[1]>[0] & { readonly layout?: StoreLayout } = {}) =>
        rebased(
          await openEtcdStore({
            ...options,
            endpoints: etcd.endpoints,
            prefix: `/case-${stores++}/`,
            compactionIntervalMs: 0,
          }),
        );
      describeStore('the store', open, { expiry: 'engine' });

      if (members === 1)
        describeStore('the store in another layout', (options) => open({ ...options, layout: mirrored }), {
          expiry: 'engine',
        });
    });
  }
}
