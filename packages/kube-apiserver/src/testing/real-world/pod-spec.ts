import type { JsonObject } from '@pintle/machinery/json';
import {
  atomic,
  choice,
  fields,
  flag,
  integer,
  keyed,
  labelSelector,
  list,
  mapOf,
  quantity,
  text,
} from './schema-parts.ts';

/** Returns most of a pod spec: definitions with pod templates are the large ones. */
export function podSpec(): JsonObject {
  return fields(
    {
      containers: keyed(['name'], container()),
      initContainers: keyed(['name'], container()),
      volumes: keyed(['name'], volume()),
      nodeSelector: mapOf(text(), { 'x-kubernetes-map-type': 'atomic' }),
      tolerations: atomic(
        fields({
          key: text(),
          operator: choice('Exists', 'Equal'),
          value: text(),
          effect: choice('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
          tolerationSeconds: integer({ format: 'int64' }),
        }),
      ),
      affinity: fields({ nodeAffinity: nodeAffinity(), podAffinity: podAffinity(), podAntiAffinity: podAffinity() }),
      topologySpreadConstraints: keyed(
        ['topologyKey', 'whenUnsatisfiable'],
        fields(
          {
            maxSkew: integer(),
            topologyKey: text(),
            whenUnsatisfiable: choice('DoNotSchedule', 'ScheduleAnyway'),
            labelSelector: labelSelector(),
          },
          { required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
        ),
      ),
      securityContext: fields({
        runAsUser: integer({ format: 'int64' }),
        runAsGroup: integer({ format: 'int64' }),
        runAsNonRoot: flag(),
        fsGroup: integer({ format: 'int64' }),
        seccompProfile: fields({ type: text(), localhostProfile: text() }, { required: ['type'] }),
      }),
      serviceAccountName: text(),
      priorityClassName: text(),
      restartPolicy: choice('Always', 'OnFailure', 'Never'),
      terminationGracePeriodSeconds: integer({ format: 'int64', minimum: 0 }),
      imagePullSecrets: keyed(['name'], fields({ name: text({ default: '' }) })),
      hostAliases: keyed(['ip'], fields({ ip: text(), hostnames: atomic(text()) }, { required: ['ip'] })),
    },
    { required: ['containers'] },
  );
}

function container(): JsonObject {
  return fields(
    {
      name: text({ minLength: 1, maxLength: 63 }),
      image: text(),
      command: atomic(text()),
      args: atomic(text()),
      workingDir: text(),
      env: keyed(['name'], envVar()),
      envFrom: atomic(fields({ prefix: text(), configMapRef: optionalRef(), secretRef: optionalRef() })),
      ports: keyed(
        ['containerPort', 'protocol'],
        fields(
          {
            name: text(),
            containerPort: integer({ minimum: 1, maximum: 65_535 }),
            protocol: text({ default: 'TCP' }),
            hostPort: integer(),
          },
          { required: ['containerPort'] },
        ),
      ),
      resources: fields({ requests: mapOf(quantity()), limits: mapOf(quantity()) }),
      volumeMounts: keyed(
        ['mountPath'],
        fields(
          { name: text(), mountPath: text(), subPath: text(), readOnly: flag() },
          { required: ['name', 'mountPath'] },
        ),
      ),
      livenessProbe: probe(),
      readinessProbe: probe(),
      startupProbe: probe(),
      lifecycle: fields({ postStart: handler(), preStop: handler() }),
      securityContext: fields({
        privileged: flag(),
        readOnlyRootFilesystem: flag(),
        allowPrivilegeEscalation: flag(),
        runAsUser: integer({ format: 'int64' }),
        capabilities: fields({ add: atomic(text()), drop: atomic(text()) }),
      }),
      imagePullPolicy: choice('Always', 'IfNotPresent', 'Never'),
    },
    { required: ['name'] },
  );
}

function envVar(): JsonObject {
  const key = (): JsonObject => fields({ name: text(), key: text(), optional: flag() }, { required: ['key'] });
  const valueFrom = fields({
    configMapKeyRef: key(),
    secretKeyRef: key(),
    fieldRef: fields({ apiVersion: text(), fieldPath: text() }, { required: ['fieldPath'] }),
    resourceFieldRef: fields({ containerName: text(), resource: text(), divisor: quantity() }),
  });
  return fields({ name: text(), value: text(), valueFrom }, { required: ['name'] });
}

function optionalRef(): JsonObject {
  return fields({ name: text({ default: '' }), optional: flag() });
}

function handler(): JsonObject {
  const port: JsonObject = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
  const headers = atomic(fields({ name: text(), value: text() }, { required: ['name', 'value'] }));
  return fields({
    exec: fields({ command: atomic(text()) }),
    httpGet: fields({ path: text(), port, host: text(), scheme: text(), httpHeaders: headers }, { required: ['port'] }),
    tcpSocket: fields({ host: text(), port }, { required: ['port'] }),
  });
}

function probe(): JsonObject {
  const { properties } = handler() as { properties: JsonObject };
  const seconds = ['initialDelaySeconds', 'periodSeconds', 'timeoutSeconds', 'failureThreshold', 'successThreshold'];
  return fields({ ...properties, ...Object.fromEntries(seconds.map((name) => [name, integer()])) });
}

function volume(): JsonObject {
  const keyItems = atomic(fields({ key: text(), path: text(), mode: integer() }, { required: ['key', 'path'] }));
  return fields(
    {
      name: text(),
      emptyDir: fields({ medium: text(), sizeLimit: quantity() }),
      hostPath: fields({ path: text(), type: text() }, { required: ['path'] }),
      configMap: fields({ name: text({ default: '' }), items: keyItems, defaultMode: integer(), optional: flag() }),
      secret: fields({ secretName: text(), items: keyItems, defaultMode: integer(), optional: flag() }),
      persistentVolumeClaim: fields({ claimName: text(), readOnly: flag() }, { required: ['claimName'] }),
      projected: fields({
        defaultMode: integer(),
        sources: list(fields({ configMap: optionalRef(), secret: optionalRef() })),
      }),
    },
    { required: ['name'] },
  );
}

function nodeAffinity(): JsonObject {
  const requirement = fields(
    { key: text(), operator: text(), values: atomic(text()) },
    { required: ['key', 'operator'] },
  );
  const term = fields({ matchExpressions: atomic(requirement), matchFields: atomic(requirement) });
  return fields({
    requiredDuringSchedulingIgnoredDuringExecution: fields(
      { nodeSelectorTerms: atomic(term) },
      { required: ['nodeSelectorTerms'] },
    ),
    preferredDuringSchedulingIgnoredDuringExecution: atomic(
      fields({ weight: integer(), preference: term }, { required: ['weight', 'preference'] }),
    ),
  });
}

function podAffinity(): JsonObject {
  const term = fields(
    {
      labelSelector: labelSelector(),
      namespaceSelector: labelSelector(),
      namespaces: atomic(text()),
      topologyKey: text(),
    },
    { required: ['topologyKey'] },
  );
  return fields({
    requiredDuringSchedulingIgnoredDuringExecution: atomic(term),
    preferredDuringSchedulingIgnoredDuringExecution: atomic(
      fields({ weight: integer(), podAffinityTerm: term }, { required: ['weight', 'podAffinityTerm'] }),
    ),
  });
}
