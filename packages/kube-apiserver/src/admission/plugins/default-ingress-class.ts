import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { FollowedObjects } from '@pintle/apiserver/cache';
import type { Ingress, IngressClass } from '@pintle/kinds/networking/v1';
import { newestDefault } from './newest-default.ts';
import { isWriteOf } from './targets.ts';

const DEFAULT = 'ingressclass.kubernetes.io/is-default-class';
const FORMER_CLASS = 'kubernetes.io/ingress.class';

/** Sets the default class of an ingress without one. */
export function defaultIngressClassPlugin(classes: FollowedObjects<IngressClass>): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: (request) => isWriteOf(request, 'ingresses.networking.k8s.io'),
    mutate: async ({ object }) => {
      const { metadata, spec } = object as Ingress;
      if (spec?.ingressClassName !== undefined || metadata.annotations?.[FORMER_CLASS] !== undefined) return;
      const name = newestDefault([...(await classes.now()).values()], [DEFAULT]);
      if (name !== undefined) (object as Ingress).spec = { ...spec, ingressClassName: name };
    },
  };
}
