import type { ApiResponse } from '@pintle/apiserver';
import { builtinReader } from '@pintle/apiserver/builtin-kinds';
import { negotiateResponse, valueResponse } from '@pintle/apiserver/registry';
import type { RequestContext, ServedResource } from '@pintle/apiserver/resource';
import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';

/** A kind that is sent to another resource and never stored: a Binding, an Eviction. */
interface OtherKind {
  readonly type: ServedResource['type'];
  readonly reader: ServedResource['reader'];
}

export function otherKind(gvk: GroupVersionKind): OtherKind {
  const type = resourceType({ ...gvk, plural: `${gvk.kind.toLowerCase()}s`, scope: 'Namespaced' });
  return { type, reader: builtinReader(gvk) };
}

/** Returns the request with `kind` as the kind of its body. */
export function bodyOfKind(context: RequestContext, { type, reader }: OtherKind): RequestContext {
  return { ...context, resource: { ...context.resource, type, reader, fieldSchema: () => schemaOf(type), rules: {} } };
}

/** Returns the response of a completed request: a Status of success. */
export async function successResponse(context: RequestContext): Promise<ApiResponse> {
  return await valueResponse(context, negotiateResponse(context, { isPrinted: false }), 201, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 201,
  });
}
