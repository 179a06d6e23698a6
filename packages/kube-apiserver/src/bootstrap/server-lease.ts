import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@pintle/machinery';
import { formatMicroTime } from '@pintle/machinery/time';
import type { Seed, SeedContext } from './seed.ts';
import { seedsOf } from './seed.ts';

const lease = seedsOf('coordination.k8s.io', 'v1', 'leases', 'Lease');
const LEASE_SECONDS = 3600;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const IDENTITY_BYTES = 16;

/** Returns the lease that announces this server. Servers on one host share the name; each start has its own holder. */
export function serverLease(host: string, port: number, { nowMs, uuid }: SeedContext): Seed {
  const name = `apiserver-${identityOf(host)}`;
  const seed = lease(
    {
      name,
      namespace: 'kube-system',
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': host },
      annotations: { 'kubernetes.io/peer-advertise-address': `127.0.0.1:${port}` },
    },
    {
      spec: {
        holderIdentity: `${name}_${uuid()}`,
        leaseDurationSeconds: LEASE_SECONDS,
        renewTime: formatMicroTime(nowMs * 1000),
      },
    },
  );
  return { ...seed, upkeep: takeOver };
}

/** Takes over the lease: its holder has stopped, since this server has its store now. */
function takeOver(stored: KubernetesObject, seed: KubernetesObject): KubernetesObject {
  const { metadata: _metadata, ...wanted } = seed;
  return { ...stored, ...wanted };
}

function identityOf(host: string): string {
  const bytes = createHash('sha256').update(host).digest().subarray(0, IDENTITY_BYTES);
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text;
}
