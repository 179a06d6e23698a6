import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { denialOf } from '@pintle/apiserver/auth';

/** Requires the permission to create for an update or apply that creates its object. */
export const guardCreation: AdmissionPlugin = {
  name: 'CreateOnUpdate',
  handles: ({ operation, call }) => operation === 'CREATE' && call.info.verb !== 'create',
  validate: async ({ call }) => {
    const denied = await denialOf(call.authorizer, call.user, { ...call.info, verb: 'create' });
    if (denied !== undefined) throw denied;
  },
};
