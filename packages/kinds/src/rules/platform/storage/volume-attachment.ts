import { FieldPath, forbidden, invalid, required, tooLong } from '@pintle/machinery/errors';
import { byteLength, rangeMessage, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '../../../generated/storage/v1.ts';
import { type Check, checkUnchanged, collect, problems } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { keepAllButStatusAndMetadata, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { roundUpAmounts } from '../../common/quantities.ts';
import { checkVolumeSpec } from '../core/persistent-volume.ts';
import { checkCsiDriverName, defaultVolumeSource } from '../core/volume-sources.ts';

const path = FieldPath.of('spec');

export const volumeAttachmentRules: ResourceRules<VolumeAttachment> = {
  metadataChecks: ['create'],
  unconditionalUpdate: false,
  returnsDeletedObject: true,
  default: ({ spec }) => {
    const volume = spec?.source?.inlineVolumeSpec;
    if (volume === undefined) return;
    roundUpAmounts(volume.capacity);
    defaultVolumeSource(volume);
  },
  prepareForCreate: (attachment) => {
    attachment.status = { attached: false };
  },
  prepareForUpdate: keepStatus,
  validate: (attachment) => collect(checkAttachment(attachment)),
  validateUpdate: (next, previous) => [
    ...checkAttachment(next),
    ...checkUnchanged(path, next.spec, previous.spec, goForm(next.spec, 'storage.VolumeAttachmentSpec')),
  ],
  subresources: {
    status: {
      metadataChecks: ['create'],
      prepareForUpdate: keepAllButStatusAndMetadata,
      validateUpdate: (next) => collect(checkAttachment(next)),
    },
  },
  printer: {
    columns: [
      nameColumn,
      { name: 'Attacher', type: 'string', format: 'name' },
      column('PV'),
      column('Node'),
      column('Attached', 'boolean'),
      ageColumn,
    ],
    row: (attachment, context) => [
      nameOf(attachment),
      attachment.spec.attacher,
      attachment.spec.source.persistentVolumeName ?? '',
      attachment.spec.nodeName,
      attachment.status?.attached ?? false,
      age(attachment, context),
    ],
  },
};

const maxMetadataBytes = 256 * 1024;
const maxMessageBytes = 1024;

function* checkAttachment({ spec, status }: VolumeAttachment): Check {
  yield* checkCsiDriverName(spec.attacher, path.child('attacher'));
  yield* checkSource(spec.source, path.child('source'));
  yield* problems(path.child('nodeName'), spec.nodeName, validateDns1123Subdomain(spec.nodeName));
  const metadata = Object.entries(status?.attachmentMetadata ?? {});
  if (metadata.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0) > maxMetadataBytes)
    yield tooLong('status.attachmentMetadata', maxMetadataBytes);
  yield* checkError(status?.attachError, FieldPath.of('status', 'attachError'));
  yield* checkError(status?.detachError, FieldPath.of('status', 'detachError'));
  const volume = spec.source.persistentVolumeName;
  if (volume !== undefined)
    yield* problems(path.child('source', 'persistentVolumeName'), volume, validateDns1123Subdomain(volume));
}

function* checkSource({ inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource, at: FieldPath): Check {
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) yield required(at, detail);
  else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) yield forbidden(at, detail);
  else if (persistentVolumeName === '')
    yield required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName');
  else if (inlineVolumeSpec !== undefined)
    yield* checkVolumeSpec(inlineVolumeSpec, { path: at.child('inlineVolumeSpec'), name: '', isInline: true });
}

function* checkError(error: VolumeError | undefined, at: FieldPath): Check {
  if (error === undefined) return;
  // The message quotes the limit of the metadata, as in Kubernetes.
  if (byteLength(error.message ?? '') > maxMessageBytes) yield tooLong(at.child('message'), maxMetadataBytes);
  if (error.errorCode !== undefined && error.errorCode < 0)
    yield invalid(at.child('errorCode'), error.errorCode, rangeMessage(0, 2 ** 31 - 1));
}
