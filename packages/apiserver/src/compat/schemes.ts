import { quote } from '@pintle/machinery/errors';
import { table } from '@pintle/machinery/table';

/** Locations in Kubernetes' sources where kinds are registered, as in its errors. */
export const SCHEMES = {
  builtin: 'pkg/api/legacyscheme/scheme.go:30',
  /** Groups with a separate scheme. */
  ofGroup: table<string>({
    'apiextensions.k8s.io': 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55',
    'apiregistration.k8s.io': 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28',
  }),
  customResources: 'k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781',
  options: 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27',
  webhooks: 'k8s.io/apiserver/pkg/util/webhook/client.go:71',
} as const;

/** Returns the error for a kind that a scheme does not have. */
export function notRegistered(kind: string, apiVersion: string, scheme: string): string {
  return `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`;
}

/** Error for an unreadable scale of a custom resource. Kubernetes hides the cause, because its scheme has no Scale. */
export const UNREADABLE_CUSTOM_SCALE = `no kind is registered for the type v1.Scale in scheme "${SCHEMES.customResources}"`;

/** Error for applying a changed scale of a custom resource, which Kubernetes cannot convert. */
export function unappliedCustomScale(step: string): string {
  return `${step} to proper version: request to convert CR to an invalid group/version: autoscaling/v1`;
}
