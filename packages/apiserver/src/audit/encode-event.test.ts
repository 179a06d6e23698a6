import { expect, test } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import { encodeAuditEvent } from './encode-event.ts';

const least: AuditEvent = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'a',
  stage: 'ResponseComplete',
  requestURI: '/version',
  verb: 'get',
  user: {},
  requestReceivedTimestamp: '2026-01-02T03:04:05.000000Z',
  stageTimestamp: '2026-01-02T03:04:05.000000Z',
};
const ODD = 'a "quoted" \\ line\n\u0000 \u2028 ünï \ud800 </script>';

test.each<[string, AuditEvent]>([
  ['the least there is', least],
  [
    'everything, with odd texts',
    {
      ...least,
      auditID: ODD,
      requestURI: `/api?x=${ODD}`,
      verb: ODD,
      user: { username: ODD, uid: '1', groups: [ODD, 'b'], extra: { [ODD]: [ODD] } },
      impersonatedUser: { username: 'b' },
      authenticationMetadata: { impersonationConstraint: ODD },
      sourceIPs: ['127.0.0.1', ODD],
      userAgent: ODD,
      objectRef: { resource: ODD, namespace: 'n', name: ODD, apiGroup: 'g', apiVersion: 'v1', subresource: 's' },
      responseStatus: { metadata: {}, status: 'Failure', message: ODD, code: 404 },
      requestObject: { a: [1, ODD] },
      responseObject: null,
      annotations: { [ODD]: ODD, 'b.c/d': '' },
    },
  ],
])('%s is written as JSON', (_name, event) => {
  expect(JSON.parse(encodeAuditEvent(event))).toEqual(JSON.parse(JSON.stringify(event)));
});
