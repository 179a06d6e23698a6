import type { Runnable } from '@pintle/async';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@pintle/kinds/admissionregistration/v1';
import {
  MutatingWebhookConfiguration as Mutating,
  ValidatingWebhookConfiguration as Validating,
} from '@pintle/kinds/admissionregistration/v1';
import type { Store } from '@pintle/store';
import { FollowedObjects } from '../../cache/followed-objects.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { HookSource } from './hook-source.ts';
import type { WebhookDependencies } from './measured.ts';

/** The plugins that call webhooks. The caller is loaded with the first webhook. */
export class WebhookPlugins {
  readonly mutating: AdmissionPlugin;
  readonly validating: AdmissionPlugin;
  readonly followed: readonly (Runnable & { load(): Promise<void> })[];

  constructor(store: Store, dependencies: WebhookDependencies) {
    const mutators = new FollowedObjects<MutatingWebhookConfiguration>(store, Mutating, { mustBeWhole: true });
    const validators = new FollowedObjects<ValidatingWebhookConfiguration>(store, Validating, { mustBeWhole: true });
    this.followed = [mutators, validators];
    this.mutating = mutatingPlugin(new HookSource(mutators), dependencies);
    this.validating = validatingPlugin(new HookSource(validators), dependencies);
  }
}

function mutatingPlugin(
  hooks: HookSource<MutatingWebhookConfiguration>,
  dependencies: WebhookDependencies,
): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionWebhook',
    handles: (request) => hooks.mayMatch(request),
    mutate: async (request, pass) => {
      const candidates = await hooks.candidatesFor(request);
      if (candidates.length === 0) return;
      const { mutateByWebhooks } = await import('./mutating-webhooks.ts');
      await mutateByWebhooks(dependencies, candidates, request, pass);
    },
  };
}

function validatingPlugin(
  hooks: HookSource<ValidatingWebhookConfiguration>,
  dependencies: WebhookDependencies,
): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: (request) => hooks.mayMatch(request),
    validate: async (request) => {
      const candidates = await hooks.candidatesFor(request);
      if (candidates.length === 0) return;
      const { validateByWebhooks } = await import('./validating-webhooks.ts');
      await validateByWebhooks(dependencies, candidates, request);
    },
  };
}
