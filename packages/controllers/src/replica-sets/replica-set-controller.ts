import { ReplicaSet } from '@pintle/kinds/apps/v1';
import { ReplicationController } from '@pintle/kinds/core/v1';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import type { Controller, Manager } from '@pintle/operator';
import { addReplicaController } from './replica-controller.ts';

export function addReplicaSetController(manager: Manager): Controller {
  return addReplicaController(manager, {
    name: 'replicaset',
    component: 'replicaset-controller',
    type: ReplicaSet,
    countsTerminating: true,
    matches: ({ spec }) => {
      const selector = compileLabelSelector(spec?.selector ?? {});
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
      const wanted = Object.entries(spec?.selector ?? {});
      return (labels) => wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
    },
  });
}
