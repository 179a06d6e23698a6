import { kindId } from '../api/kinds.ts';
import { hrefOf } from '../state/router.ts';
import type { Deed } from '../text/who-can.ts';

/** The address of the view for something that somebody would do. */
export function accessHref({ verb, group, resource, namespace, name }: Deed): string {
  const of = resource.startsWith('/') ? resource : idOf(group, resource);
  return hrefOf(['access'], { verb, of, ns: namespace, name });
}

/** A kind's id with its subresource: `pods/log`, `deployments.apps/scale`. */
export function idOf(group: string, resource: string): string {
  const [name = '', subresource] = resource.split('/');
  return `${kindId({ group, resource: name })}${subresource === undefined ? '' : `/${subresource}`}`;
}
