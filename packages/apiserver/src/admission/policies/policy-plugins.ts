import type { Runnable } from '@pintle/async';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@pintle/kinds/admissionregistration/v1';
import {
  MutatingAdmissionPolicyBinding as MutatingBindings,
  MutatingAdmissionPolicy as MutatingPolicies,
  ValidatingAdmissionPolicyBinding as ValidatingBindings,
  ValidatingAdmissionPolicy as ValidatingPolicies,
} from '@pintle/kinds/admissionregistration/v1';
import type { Store } from '@pintle/store';
import { FollowedObjects } from '../../cache/followed-objects.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { PolicySource } from './policy-source.ts';

type MutatingSource = PolicySource<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding>;
type ValidatingSource = PolicySource<ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding>;

/** The plugins that run CEL policies. The evaluator is loaded with the first policy that has a binding. */
export class PolicyPlugins {
  readonly mutating: AdmissionPlugin;
  readonly validating: AdmissionPlugin;
  readonly followed: readonly (Runnable & { load(): Promise<void> })[];

  constructor(store: Store) {
    const mutators = new FollowedObjects<MutatingAdmissionPolicy>(store, MutatingPolicies, { mustBeWhole: true });
    const mutatorBindings = new FollowedObjects<MutatingAdmissionPolicyBinding>(store, MutatingBindings, {
      mustBeWhole: true,
    });
    const validators = new FollowedObjects<ValidatingAdmissionPolicy>(store, ValidatingPolicies, { mustBeWhole: true });
    const validatorBindings = new FollowedObjects<ValidatingAdmissionPolicyBinding>(store, ValidatingBindings, {
      mustBeWhole: true,
    });
    this.followed = [mutators, mutatorBindings, validators, validatorBindings];
    this.mutating = mutatingPlugin(new PolicySource(mutators, mutatorBindings));
    this.validating = validatingPlugin(new PolicySource(validators, validatorBindings));
  }
}

function mutatingPlugin(policies: MutatingSource): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionPolicy',
    handles: (request) => request.operation !== 'DELETE' && policies.mayMatch(request),
    mutate: async (request, pass) => {
      const candidates = await policies.candidatesFor(request);
      if (candidates === undefined) return;
      const { mutateByPolicies } = await import('./mutating-policies.ts');
      await mutateByPolicies(candidates, request, pass);
    },
  };
}

function validatingPlugin(policies: ValidatingSource): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: (request) => policies.mayMatch(request),
    validate: async (request) => {
      const candidates = await policies.candidatesFor(request);
      if (candidates === undefined) return;
      const { validateByPolicies } = await import('./validating-policies.ts');
      await validateByPolicies(candidates, request);
    },
  };
}
