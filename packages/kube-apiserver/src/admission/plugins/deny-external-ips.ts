import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { Service } from '@pintle/kinds/core/v1';
import { forbid, isWriteOf } from './targets.ts';

/**
 * Refuses new external IPs of services, which could capture traffic for others (CVE-2020-8554). Existing ones may stay
 * or be removed.
 */
export const denyExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handles: (request) => isWriteOf(request, 'services', ['CREATE', 'UPDATE']),
  validate: (request) => {
    const had = new Set((request.oldObject as Service | undefined)?.spec?.externalIPs);
    const wanted = (request.object as Service).spec?.externalIPs ?? [];
    if (wanted.some((address) => !had.has(address))) {
      throw forbid(request, 'Use of external IPs is denied by admission control');
    }
  },
};
