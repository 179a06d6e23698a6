import { FieldPath } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import type { PodTemplate } from '../../generated/core/v1.ts';
import { formatLabels } from '../common/labels.ts';
import { defaultPodTemplate } from '../common/pod/defaults.ts';
import { dropDisabledTemplateFields } from '../common/pod/disabled-fields.ts';
import { validatePodTemplate } from '../common/pod/validation/pod-spec.ts';
import { podTemplateWarnings } from '../common/pod/warnings/warnings.ts';
import { column, nameColumn, nameOf } from '../common/printers.ts';
import { containerCells } from './workload-columns.ts';

const templatePath = FieldPath.of('template');

/** A pod template as an object of its own, for controllers that look it up. */
export const podTemplateRules: ResourceRules<PodTemplate> = {
  tracksGeneration: true,
  returnsDeletedObject: true,
  default({ template }) {
    defaultPodTemplate(template);
  },
  prepareForCreate({ template }) {
    dropDisabledTemplateFields(template);
  },
  prepareForUpdate(next, previous) {
    dropDisabledTemplateFields(next.template);
    if (!deepEqual(next.template, previous.template))
      next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  },
  validate: ({ template }) => validatePodTemplate(template, templatePath),
  validateUpdate: ({ template }) => validatePodTemplate(template, templatePath),
  warnings(next, previous) {
    if (previous !== undefined && next.metadata.generation === previous.metadata.generation) return [];
    return podTemplateWarnings(next.template, templatePath);
  },
  printer: templatePrinter(),
};

function templatePrinter(): Printer<PodTemplate> {
  return {
    columns: [nameColumn, column('Containers'), column('Images'), column('Pod Labels')],
    row: (object) => [
      nameOf(object),
      ...containerCells(object.template),
      formatLabels(object.template?.metadata?.labels),
    ],
  };
}
