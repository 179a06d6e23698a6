import type { ResourceRules } from '@pintle/machinery/rules';
import type { ServiceAccount } from '../../../generated/core/v1.ts';
import { nameAndAge } from '../../common/printers.ts';

export const serviceAccountRules: ResourceRules<ServiceAccount> = {
  metadataChecks: ['update', 'create'],
  returnsDeletedObject: true,
  printer: nameAndAge,
};
