import type { KubernetesObject } from '@pintle/machinery';
import { conflictError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import { preconditionFailed, storageName } from '../../compat/storage-errors.ts';
import { guardName } from '../../request/request-info.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import { checkName, setNamespace } from './prepare.ts';
import { decodeBody } from './read-body.ts';
import type { Change } from './write-state.ts';

/** Reads the body of an update, which replaces the object. */
export async function readReplacement(context: RequestContext, options: WriteOptions): Promise<Change> {
  const { object, emptied } = await decodeBody(context, options.fieldValidation);
  setNamespace(context, object);
  checkName(context, object);
  guardName(context.info.name);
  const { uid } = object.metadata;
  return {
    desired(current) {
      if (uid && uid !== current.metadata.uid) throw otherUid(context, options, object, current.metadata.uid ?? '');
      return { object: deepCopy(object), emptied };
    },
    desiredNew() {
      const { resource, info } = context;
      if (info.subresource !== '' || !resource.rules.createOnUpdate) return undefined;
      if (uid) throw otherUid(context, options, object, '');
      return { object, emptied };
    },
  };
}

/**
 * Returns the error for another uid. The key in it depends on whether the store was reached, which a dry run does not
 * do.
 */
function otherUid(
  { resource, info }: RequestContext,
  { isDryRun }: WriteOptions,
  { metadata }: KubernetesObject,
  found: string,
): Error {
  const path = [storageName(resource.scaleView?.parent ?? resource), info.namespace, info.name].filter(
    (part) => part !== '',
  );
  const key = `${isDryRun ? '/' : '/registry/'}${path.join('/')}`;
  return conflictError(groupResourceOf(resource), info.name, preconditionFailed(key, metadata.uid ?? '', found));
}
