import type { ApiResponse } from '@pintle/apiserver';
import { builtinReader } from '@pintle/apiserver/builtin-kinds';
import { answerValue, negotiateAnswer } from '@pintle/apiserver/registry';
import type { EndpointCall, ServedResource } from '@pintle/apiserver/resource';
import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';

/** A kind that is sent to a resource of another one and never kept: a Binding, an Eviction. */
interface OtherKind {
  readonly type: ServedResource['type'];
  readonly reader: ServedResource['reader'];
}

export function otherKind(gvk: GroupVersionKind): OtherKind {
  const type = resourceType({ ...gvk, plural: `${gvk.kind.toLowerCase()}s`, scope: 'Namespaced' });
  return { type, reader: builtinReader(gvk) };
}

/** The same call, its body to be read as `kind`. */
export function bodyOfKind(call: EndpointCall, { type, reader }: OtherKind): EndpointCall {
  return { ...call, resource: { ...call.resource, type, reader, fieldSchema: () => schemaOf(type), rules: {} } };
}

/** The answer to what was asked of an object and has been done. */
export async function answerDone(call: EndpointCall): Promise<ApiResponse> {
  return await answerValue(call, negotiateAnswer(call, { isPrinted: false }), 201, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 201,
  });
}
