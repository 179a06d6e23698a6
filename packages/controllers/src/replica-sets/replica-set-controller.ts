import { ReplicaSet } from '@pintle/kinds/apps/v1';
import { ReplicationController } from '@pintle/kinds/core/v1';
import type { Controller, Manager } from '@pintle/operator';
import { EVERYTHING, labelsSelectorOf, selectorOf } from '../common/selectors.ts';
import { addReplicaController } from './replica-controller.ts';

export function addReplicaSetController(manager: Manager): Controller {
  return addReplicaController(manager, {
    name: 'replicaset',
    component: 'replicaset-controller',
    type: ReplicaSet,
    countsTerminating: true,
    matches: ({ spec }) => {
      const selector = selectorOf(spec?.selector ?? EVERYTHING);
      return (labels) => selector.matches(labels);
    },
  });
}

export function addReplicationControllerController(manager: Manager): Controller {
  return addReplicaController(manager, {
    name: 'replicationcontroller',
    component: 'replication-controller',
    type: ReplicationController,
    countsTerminating: false,
    matches: ({ spec }) => {
      const selector = labelsSelectorOf(spec?.selector ?? {});
      return (labels) => !selector.isEmpty && selector.matches(labels);
    },
  });
}
