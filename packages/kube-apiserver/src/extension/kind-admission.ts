import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { FieldPath, invalid, invalidError } from '@pintle/machinery/errors';
import type { ExtensionKind } from './extension-kind.ts';

/** What an extension's author says of its objects, beyond their schema. */
export function kindAdmission(group: string, kinds: readonly ExtensionKind[]): AdmissionPlugin {
  const kindOf = ({ call, operation }: AdmissionRequest): ExtensionKind | undefined => {
    const { type } = call.resource;
    const isWrite = operation === 'CREATE' || operation === 'UPDATE';
    if (!isWrite || type.group !== group || call.info.subresource !== '') return undefined;
    return kinds.find(({ plural }) => plural === type.plural);
  };
  return {
    name: 'ExtensionKinds',
    handles: (request) => kindOf(request) !== undefined,
    mutate: (request) => {
      if (request.object !== undefined) kindOf(request)?.complete?.(request.object);
    },
    validate: (request) => {
      const kind = kindOf(request);
      const { object, oldObject, name } = request;
      const problems = object === undefined ? [] : (kind?.validate?.(object, oldObject) ?? []);
      if (problems.length === 0) return;
      const errors = problems.map(([path, problem]) => {
        const [first = '', ...rest] = path.split('.');
        return invalid(FieldPath.of(first, ...rest), undefined, problem);
      });
      throw invalidError({ group, kind: kind!.kind }, name, errors);
    },
  };
}
