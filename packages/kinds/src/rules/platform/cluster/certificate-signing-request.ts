import { type FieldError, FieldPath, invalid } from '@pintle/machinery/errors';
import type { ResourceRules, WriteContext } from '@pintle/machinery/rules';
import { formatTime, humanDuration } from '@pintle/machinery/time';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../../generated/certificates/v1.ts';
import { collect } from '../../common/checks.ts';
import { firstBy } from '../../common/lists.ts';
import { keep, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkRequest, checkRequestSize, checkRequestUpdate } from './request-validation.ts';

const spec = FieldPath.of('spec');

export const certificateSigningRequestRules: ResourceRules<CertificateSigningRequest> = {
  /** Any name that is valid in a path. */
  validateName: () => [],
  prepareForCreate: (request, context) => {
    request.status = {};
    recordRequester(request, context);
  },
  prepareForUpdate: (next, previous) => {
    keep(next, previous, 'spec');
    keepStatus(next, previous);
  },
  validate: (request) => collect(checkRequest(request, spec), checkRequestSize(request, spec), checkNewSigner(request)),
  validateUpdate: (next, previous) => ['create', ...checkRequestUpdate(next, previous, {}), 'update'],
  subresources: {
    status: {
      prepareForUpdate: (next, previous, context) => {
        keep(next, previous, 'spec');
        for (const type of ['Approved', 'Denied']) keepConditions(next, previous, type);
        stampConditions(next, previous, context);
      },
      validateUpdate: (next, previous) => [
        'create',
        ...checkRequestUpdate(next, previous, { maySetCertificate: true }),
        'update',
      ],
    },
    approval: {
      prepareForUpdate: (next, previous, context) => {
        stampConditions(next, previous, context);
        const conditions = next.status?.conditions;
        keep(next, previous, 'spec');
        const { conditions: _, ...status } = previous.status ?? {};
        next.status = { ...status, ...(conditions?.length && { conditions }) };
      },
      validateUpdate: (next, previous) => [
        'create',
        ...checkRequestUpdate(next, previous, { mayApprove: true }),
        'update',
      ],
    },
  },
  selectableFields: (request) => ({ 'spec.signerName': request.spec?.signerName ?? '' }),
  printer: {
    columns: [
      nameColumn,
      ageColumn,
      column('SignerName'),
      column('Requestor'),
      column('RequestedDuration'),
      column('Condition'),
    ],
    row: (request, context) => {
      const { signerName, username, expirationSeconds } = request.spec;
      return [
        nameOf(request),
        age(request, context),
        signerName || '<none>',
        username ?? '',
        expirationSeconds === undefined ? '<none>' : humanDuration(expirationSeconds * 1000),
        formatConditions(request),
      ];
    },
  },
};

/** Requests of the first version had no signer; those no longer exist. */
function checkNewSigner({ spec: { signerName } }: CertificateSigningRequest): FieldError[] {
  if (signerName !== 'kubernetes.io/legacy-unknown') return [];
  return [invalid(spec.child('signerName'), signerName, 'the legacy signerName is not allowed via this API version')];
}

/** The server records the requester. */
function recordRequester({ spec: request }: CertificateSigningRequest, context: WriteContext | undefined): void {
  delete request.username;
  delete request.uid;
  delete request.groups;
  delete request.extra;
  if (context?.user === undefined) return;
  const { username, uid, groups, extra } = context.user;
  request.username = username;
  if (uid) request.uid = uid;
  if (groups?.length) request.groups = [...groups];
  if (extra !== undefined && Object.keys(extra).length > 0)
    request.extra = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}

/** Restores approval and denial: an update of the status must not change them. */
function keepConditions(next: CertificateSigningRequest, previous: CertificateSigningRequest, type: string): void {
  const former = conditionsOf(previous).filter((condition) => condition.type === type);
  const conditions = conditionsOf(next);
  if (conditions.filter((condition) => condition.type === type).length !== former.length || former.length === 0) return;
  let position = 0;
  next.status = {
    ...next.status,
    conditions: conditions.map((condition) => (condition.type === type ? former[position++]! : condition)),
  };
}

function stampConditions(
  next: CertificateSigningRequest,
  previous: CertificateSigningRequest,
  context: WriteContext | undefined,
): void {
  if (context === undefined) return;
  const now = formatTime(context.nowMs);
  const keyOf = ({ type, status }: CertificateSigningRequestCondition): string => JSON.stringify([type, status]);
  const known = firstBy(conditionsOf(previous), keyOf);
  for (const condition of conditionsOf(next)) {
    const former = known.get(keyOf(condition));
    condition.lastUpdateTime ||= now;
    condition.lastTransitionTime ||= former?.lastTransitionTime || now;
  }
}

function conditionsOf({ status }: CertificateSigningRequest): CertificateSigningRequestCondition[] {
  return status?.conditions ?? [];
}

function formatConditions(request: CertificateSigningRequest): string {
  const has = (wanted: string) => conditionsOf(request).some(({ type }) => type === wanted);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return decision + (has('Failed') ? ',Failed' : '') + (request.status?.certificate ? ',Issued' : '');
}
