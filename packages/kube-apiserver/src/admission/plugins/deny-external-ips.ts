import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { Service } from '@pintle/kinds/core/v1';
import { forbid, isWriteOf } from './targets.ts';

/**
 * A service with an external address takes traffic that is meant for somebody else (CVE-2020-8554). Where this is asked
 * for, services get no such addresses any more; those they have they may keep or give up.
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
