import type { AdmissionPlugin, WebhookDependencies } from '@pintle/apiserver/admission';
import { PolicyPlugins, WebhookPlugins } from '@pintle/apiserver/admission';
import { FollowedObjects } from '@pintle/apiserver/cache';
import type { Random, Runnable } from '@pintle/async';
import { runAll } from '@pintle/async';
import type { LimitRange, ResourceQuota } from '@pintle/kinds/core/v1';
import { LimitRange as LimitRanges, ResourceQuota as ResourceQuotas } from '@pintle/kinds/core/v1';
import type { IngressClass } from '@pintle/kinds/networking/v1';
import { IngressClass as IngressClasses } from '@pintle/kinds/networking/v1';
import type { RuntimeClass } from '@pintle/kinds/node/v1';
import { RuntimeClass as RuntimeClasses } from '@pintle/kinds/node/v1';
import type { PriorityClass } from '@pintle/kinds/scheduling/v1';
import { PriorityClass as PriorityClasses } from '@pintle/kinds/scheduling/v1';
import type { StorageClass } from '@pintle/kinds/storage/v1';
import { StorageClass as StorageClasses } from '@pintle/kinds/storage/v1';
import type { Store } from '@pintle/store';
import { nodeDeclaredFeaturesPlugin, podResizePlugin, podTopologyLabelsPlugin } from './plugins/bound-pods.ts';
import { defaultIngressClassPlugin } from './plugins/default-ingress-class.ts';
import { defaultTolerationSecondsPlugin } from './plugins/default-toleration-seconds.ts';
import { limitRangerPlugin } from './plugins/limit-ranger.ts';
import { taintNodesByConditionPlugin } from './plugins/nodes.ts';
import { podSecurityPlugin } from './plugins/pod-security/pod-security.ts';
import { priorityPlugin } from './plugins/priority.ts';
import { resourceQuotaPlugin } from './plugins/resource-quota.ts';
import { runtimeClassPlugin } from './plugins/runtime-class.ts';
import { serviceAccountPlugin } from './plugins/service-account.ts';
import { claimResizePlugin, defaultStorageClassPlugin, storageObjectInUseProtectionPlugin } from './plugins/storage.ts';

/** The built-in plugins in Kubernetes' order, with the objects that they read. */
export class BuiltinPlugins implements Runnable {
  readonly plugins: readonly AdmissionPlugin[];
  /** Plugins that come after all others and see the object as it will be stored. */
  readonly last: readonly AdmissionPlugin[];
  readonly #followed: readonly (Runnable & { load(): Promise<void> })[];

  constructor({
    store,
    random,
    webhookDependencies,
    disabled = new Set(),
  }: {
    readonly store: Store;
    readonly random: Random;
    readonly webhookDependencies: WebhookDependencies;
    readonly disabled?: ReadonlySet<string>;
  }) {
    const priorities = new FollowedObjects<PriorityClass>(store, PriorityClasses);
    const runtimes = new FollowedObjects<RuntimeClass>(store, RuntimeClasses);
    const storage = new FollowedObjects<StorageClass>(store, StorageClasses);
    const ingresses = new FollowedObjects<IngressClass>(store, IngressClasses);
    const limits = new FollowedObjects<LimitRange>(store, LimitRanges, { mustBeWhole: true });
    const quotas = new FollowedObjects<ResourceQuota>(store, ResourceQuotas, { mustBeWhole: true });
    const webhooks = new WebhookPlugins(store, webhookDependencies);
    const policies = new PolicyPlugins(store);
    const followed = [limits, quotas, priorities, runtimes, storage, ingresses];
    this.#followed = [...followed, ...policies.followed, ...webhooks.followed];
    const isEnabled = ({ name }: AdmissionPlugin) => !disabled.has(name);
    this.plugins = [
      limitRangerPlugin(limits),
      serviceAccountPlugin({ store, random }),
      taintNodesByConditionPlugin,
      podSecurityPlugin({ store }),
      priorityPlugin(priorities),
      defaultTolerationSecondsPlugin,
      defaultStorageClassPlugin(storage),
      storageObjectInUseProtectionPlugin,
      claimResizePlugin(storage),
      runtimeClassPlugin(runtimes),
      defaultIngressClassPlugin(ingresses),
      podTopologyLabelsPlugin(store),
      nodeDeclaredFeaturesPlugin(store),
      podResizePlugin(store),
    ].filter(isEnabled);
    this.last = [
      policies.mutating,
      webhooks.mutating,
      policies.validating,
      webhooks.validating,
      resourceQuotaPlugin(store, quotas),
    ].filter(isEnabled);
  }

  async load(): Promise<void> {
    await Promise.all(this.#followed.map((objects) => objects.load()));
  }

  async run(options: { readonly signal: AbortSignal }): Promise<void> {
    await runAll(this.#followed, options);
  }
}
