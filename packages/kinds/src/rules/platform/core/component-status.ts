import type { ResourceRules } from '@pintle/machinery/rules';
import type { ComponentStatus } from '../../../generated/core/v1.ts';
import { column, nameColumn, nameOf } from '../../common/printers.ts';

export const componentStatusRules: ResourceRules<ComponentStatus> = {
  printer: {
    columns: [nameColumn, column('Status'), column('Message'), column('Error')],
    row: (component) => {
      const healthy = component.conditions?.find(({ type }) => type === 'Healthy');
      const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
      return [nameOf(component), status, healthy?.message ?? '', healthy?.error ?? ''];
    },
  },
};
