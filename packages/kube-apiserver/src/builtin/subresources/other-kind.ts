import type { ApiResponse } from '@pintle/apiserver';
import { builtinReader } from '@pintle/apiserver/builtin-kinds';
import { answerValue, negotiateAnswer } from '@pintle/apiserver/registry';
import type { EndpointCall, ServedResource } from '@pintle/apiserver/resource';
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
export function bodyOfKind(call: EndpointCall, { type, reader }: OtherKind): EndpointCall {
  return { ...call, resource: { ...call.resource, type, reader, fieldSchema: () => schemaOf(type), rules: {} } };
}

/** Returns the response of a completed request: a Status of success. */
export async function answerDone(call: EndpointCall): Promise<ApiResponse> {
  return await answerValue(call, negotiateAnswer(call, { isPrinted: false }), 201, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 201,
  });
}
