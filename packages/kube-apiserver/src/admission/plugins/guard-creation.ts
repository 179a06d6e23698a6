import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { denialOf } from '@pintle/apiserver/auth';

/** Requires the permission to create for an update or apply that creates its object. */
export const guardCreation: AdmissionPlugin = {
  name: 'CreateOnUpdate',
  handles: ({ operation, context }) => operation === 'CREATE' && context.info.verb !== 'create',
  validate: async ({ context }) => {
    const denied = await denialOf(context.authorizer, context.user, { ...context.info, verb: 'create' });
    if (denied !== undefined) throw denied;
  },
};
