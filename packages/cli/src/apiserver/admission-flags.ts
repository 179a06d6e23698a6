import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Plugins of Kubernetes whose rules hold here. Some are part of the server and cannot be disabled; others concern APIs
 * that are not served.
 */
const PLUGINS: ReadonlySet<string> = words(`
  AlwaysAdmit AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction
  ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyServiceExternalIPs
  JobValidation LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceLifecycle
  NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize
  PodGroupProtection PodGroupWorkloadExists PodResizeValidator PodSecurity PodTopologyLabels Priority ResourceQuota
  RuntimeClass ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy
  ValidatingAdmissionWebhook
`);

const MISSING_PLUGINS: ReadonlySet<string> = words(`
  AlwaysDeny EventRateLimit ExtendedResourceToleration ImagePolicyWebhook LimitPodHardAntiAffinityTopology
  NamespaceAutoProvision NamespaceExists PodNodeSelector PodTolerationRestriction
`);

interface AdmissionChoice {
  readonly enabledAdmission: readonly string[];
  readonly disabledAdmission: readonly string[];
  /** Plugins that were enabled and that this server lacks; only with --ignore-unsupported-flags. */
  readonly missing: readonly string[];
}

/** Reads the admission plugins of the flags. Throws UsageError for unknown names, and for plugins that this server lacks. */
export function admissionOf(flags: ParsedFlags): AdmissionChoice {
  const enabledAdmission = namesIn(flags, 'enable-admission-plugins');
  const disabledAdmission = namesIn(flags, 'disable-admission-plugins');
  const both = enabledAdmission.find((name) => disabledAdmission.includes(name));
  if (both !== undefined) throw new UsageError(`Cannot enable and disable the admission plugin ${both} at once`);
  const missing = enabledAdmission.filter((name) => MISSING_PLUGINS.has(name));
  if (missing.length > 0 && flags.values['ignore-unsupported-flags'] !== 'true') {
    throw new UsageError(
      `Cannot use --enable-admission-plugins=${missing.join()}: this server does not have it. Remove it, or pass --ignore-unsupported-flags to start without it.`,
    );
  }
  return { enabledAdmission, disabledAdmission, missing };
}

function namesIn({ all }: ParsedFlags, flag: 'enable-admission-plugins' | 'disable-admission-plugins'): string[] {
  const names = (all[flag] ?? []).flatMap((text) => text.split(',')).filter((name) => name !== '');
  const unknown = names.find((name) => !PLUGINS.has(name) && !MISSING_PLUGINS.has(name));
  if (unknown !== undefined) throw new UsageError(`Cannot use --${flag}=${unknown}: there is no such plugin`);
  return names;
}
