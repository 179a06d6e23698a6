import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { denialOf } from '@pintle/apiserver/auth';

/** An update or an apply that finds nothing to change creates, and for that takes the right to create. */
export const guardCreation: AdmissionPlugin = {
  name: 'CreateOnUpdate',
  handles: ({ operation, call }) => operation === 'CREATE' && call.info.verb !== 'create',
  validate: async ({ call }) => {
    const denied = await denialOf(call.authorizer, call.user, { ...call.info, verb: 'create' });
    if (denied !== undefined) throw denied;
  },
};
