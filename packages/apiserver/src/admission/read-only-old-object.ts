import type { KubernetesObject } from '@pintle/machinery';
import { deepCopy, freezeDeep } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../resource/admission-request.ts';
import type { AdmissionPlugin } from './admission.ts';

/**
 * Wraps a plugin from outside the server so that `oldObject` is read-only: the plugin throws when it tries to change
 * it.
 */
export function withReadOnlyOldObject(plugin: AdmissionPlugin): AdmissionPlugin {
  const { mutate, validate, reserve } = plugin;
  return {
    name: plugin.name,
    handles: (request) => plugin.handles(request),
    ...(mutate && {
      mutate: async (request, pass) => {
        const shown = { ...request, oldObject: frozenCopy(request.oldObject) };
        await mutate.call(plugin, shown, pass);
        request.object = shown.object;
        request.name = shown.name;
      },
    }),
    ...(validate && {
      validate: (request) => validate.call(plugin, { ...request, oldObject: frozenCopy(request.oldObject) }),
    }),
    ...(reserve && { reserve: (request: AdmissionRequest) => reserve.call(plugin, request) }),
  };
}

const copies = new WeakMap<KubernetesObject, KubernetesObject>();

/** Returns the same frozen copy each time it is called for an object. */
function frozenCopy(object: KubernetesObject | undefined): KubernetesObject | undefined {
  if (object === undefined) return undefined;
  const copy = copies.get(object) ?? freezeDeep(deepCopy(object));
  copies.set(object, copy);
  return copy;
}
