import { ValidatingAdmissionPolicy } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { Controller, Manager } from '@pintle/operator';
import { eachLive } from '../common/each-live.ts';

const NAME = 'validatingadmissionpolicy-status';

/** Reports type errors in expressions of ValidatingAdmissionPolicies in their status. */
export function addPolicyStatusController(manager: Manager): Controller {
  return manager
    .controller(ValidatingAdmissionPolicy, NAME)
    .reconcile(async ({ metadata, spec, status }, { client, clock }) => {
      const { name = '', generation = 0 } = metadata;
      if (generation <= (status?.observedGeneration ?? 0)) return;
      const definitions: CustomResourceDefinition[] = [];
      for await (const definition of eachLive(client.live, CustomResourceDefinition)) definitions.push(definition);
      // Loaded on demand: CEL is large, and most clusters have no policies.
      const { checkTypes } = await import('./check-types.ts');
      const warnings = checkTypes(spec ?? {}, definitions, clock.now());
      const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
      const configuration = { metadata: { name }, status: { observedGeneration: generation, typeChecking } };
      await client.apply(ValidatingAdmissionPolicy, configuration, {
        fieldManager: NAME,
        force: true,
        subresource: 'status',
      });
    });
}
