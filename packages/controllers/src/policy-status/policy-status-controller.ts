import { ValidatingAdmissionPolicy } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { Controller, Manager } from '@pintle/operator';

const NAME = 'validatingadmissionpolicy-status';

/** Reports type errors in expressions of ValidatingAdmissionPolicies in their status. */
export function addPolicyStatusController(manager: Manager): Controller {
  return manager
    .controller(ValidatingAdmissionPolicy, NAME)
    .reconcile(async ({ metadata, spec, status }, { client, clock }) => {
      const { name = '', generation = 0 } = metadata;
      if (generation <= (status?.observedGeneration ?? 0)) return;
      const definitions = await client.live.list(CustomResourceDefinition);
      // Loaded on demand: CEL is large, and most clusters have no policies.
      const { checkTypes } = await import('./check-types.ts');
      const warnings = checkTypes(spec ?? {}, definitions.items, clock.now());
      const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
      const configuration = { metadata: { name }, status: { observedGeneration: generation, typeChecking } };
      await client.apply(ValidatingAdmissionPolicy, configuration, {
        fieldManager: NAME,
        force: true,
        subresource: 'status',
      });
    });
}
