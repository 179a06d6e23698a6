import { kindId } from '../api/kinds.ts';
import { hrefOf } from '../state/router.ts';
import type { AccessQuery } from '../text/who-can.ts';

/** Returns the address of the view for a request. */
export function accessHref({ verb, group, resource, namespace, name }: AccessQuery): string {
  const of = resource.startsWith('/') ? resource : idOf(group, resource);
  return hrefOf(['access'], { verb, of, ns: namespace, name });
}

/** A kind's id with its subresource: `pods/log`, `deployments.apps/scale`. */
export function idOf(group: string, resource: string): string {
  const [name = '', subresource] = resource.split('/');
  return `${kindId({ group, resource: name })}${subresource === undefined ? '' : `/${subresource}`}`;
}
