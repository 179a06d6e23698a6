import type { Container, PodSpec, SecurityContext, Volume } from '@pintle/kinds/core/v1';
import type { ObjectMeta } from '@pintle/machinery';
import { quote } from '@pintle/machinery/errors';
import type { Level } from './policy.ts';

/** A pod, or a pod template. */
export interface CheckedPod {
  readonly metadata: Pick<ObjectMeta, 'annotations'>;
  readonly spec: PodSpec;
}

/** A failed check: a short reason, and the parts of the pod that caused it. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

type CheckPod = (pod: CheckedPod) => Violation | undefined;

/** One rule of the Pod Security Standards, with its versions. */
export interface Check {
  readonly id: string;
  readonly level: Level;
  /** Ordered by the minor version of Kubernetes that introduced them, oldest first. */
  readonly versions: readonly (readonly [sinceMinor: number, check: CheckPod])[];
  /** Id of the baseline rule that this one replaces. */
  readonly replaces?: string;
}

/** The checks of each level, ordered by id, as violations are listed. */
export const CHECKS: readonly Check[] = [
  { id: 'appArmorProfile', level: 'baseline', versions: [[0, appArmorProfile]] },
  { id: 'capabilities_baseline', level: 'baseline', versions: [[0, addedCapabilities]] },
  { id: 'hostNamespaces', level: 'baseline', versions: [[0, hostNamespaces]] },
  { id: 'hostPathVolumes', level: 'baseline', versions: [[0, hostPathVolumes]] },
  { id: 'hostPorts', level: 'baseline', versions: [[0, hostPorts]] },
  { id: 'hostProbesAndHostLifecycle', level: 'baseline', versions: [[34, hostProbes]] },
  { id: 'privileged', level: 'baseline', versions: [[0, privileged]] },
  {
    id: 'procMount',
    level: 'baseline',
    versions: [
      [0, procMount],
      [35, unlessUserNamespace(procMount)],
    ],
  },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      [0, seLinuxOptions(['', 'container_t', 'container_init_t', 'container_kvm_t'])],
      [31, seLinuxOptions(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'])],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [
      [0, seccompAnnotations],
      [19, seccompProfile({ isRequired: false })],
    ],
  },
  { id: 'sysctls', level: 'baseline', versions: sysctlVersions() },
  { id: 'windowsHostProcess', level: 'baseline', versions: [[0, windowsHostProcess]] },
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      [8, privilegeEscalation],
      [25, unlessWindows(privilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    versions: [
      [22, droppedCapabilities],
      [25, unlessWindows(droppedCapabilities)],
    ],
    replaces: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', level: 'restricted', versions: [[35, procMount]], replaces: 'procMount' },
  { id: 'restrictedVolumes', level: 'restricted', versions: [[0, restrictedVolumes]], replaces: 'hostPathVolumes' },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    versions: [
      [0, runAsNonRoot],
      [35, unlessUserNamespace(runAsNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    versions: [
      [23, runAsUser],
      [35, unlessUserNamespace(runAsUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    versions: [
      [19, seccompProfile({ isRequired: true })],
      [25, unlessWindows(seccompProfile({ isRequired: true }))],
    ],
    replaces: 'seccompProfile_baseline',
  },
];

function appArmorProfile({ metadata, spec }: CheckedPod): Violation | undefined {
  const isAllowed = (type: string | undefined): boolean => type === 'RuntimeDefault' || type === 'Localhost';
  const values = new Set<string>();
  const isBad = (context: SecurityContext | PodSpec['securityContext']): boolean => {
    const profile = context?.appArmorProfile;
    if (!profile || isAllowed(profile.type)) return false;
    values.add(profile.type ?? '');
    return true;
  };
  const setters = settersOf(spec, isBad);
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR) && !/^($|runtime\/default$|localhost\/)/.test(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort(byCodePoint);
  if (annotations.length > 0) setters.push(plural('annotation', annotations.length));
  if (setters.length === 0) return undefined;
  const bad = [...sorted(values), ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', bad.length),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(bad)}`,
  };
}

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

const DEFAULT_CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

function addedCapabilities({ spec }: CheckedPod): Violation | undefined {
  const detail = describeAdded(spec, (capability) => DEFAULT_CAPABILITIES.has(capability));
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
}

function describeAdded(spec: PodSpec, isAllowed: (capability: string) => boolean): string | undefined {
  const capabilities = new Set<string>();
  const containers = namesOf(spec, ({ securityContext }) => {
    const bad = (securityContext?.capabilities?.add ?? []).filter((capability) => !isAllowed(capability));
    for (const capability of bad) capabilities.add(capability);
    return bad.length > 0;
  });
  if (containers.length === 0) return undefined;
  return `${containerNames(containers)} must not include ${quoted(sorted(capabilities))} in securityContext.capabilities.add`;
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]);
  return violation(shared, 'host namespaces', () => shared.map((field) => `${field}=true`).join(', '));
}

function hostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const volumes = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  return violation(volumes, 'hostPath volumes', () => `${plural('volume', volumes.length)} ${quoted(volumes)}`);
}

function hostPorts({ spec }: CheckedPod): Violation | undefined {
  const ports = new Set<string>();
  const containers = namesOf(spec, ({ ports: all = [] }) => {
    const bad = all.filter(({ hostPort }) => hostPort);
    for (const { hostPort } of bad) ports.add(String(hostPort));
    return bad.length > 0;
  });
  return violation(
    containers,
    'hostPort',
    () =>
      `${containerNames(containers)} ${use(containers.length)} ${plural('hostPort', ports.size)} ${sorted(ports).join(', ')}`,
  );
}

function hostProbes({ spec }: CheckedPod): Violation | undefined {
  const hosts = new Set<string>();
  const containers = new Set(
    namesOf(spec, ({ livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
      const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
      const bad = handlers
        .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
        .filter((host): host is string => host !== undefined && host !== '');
      for (const host of bad) hosts.add(host);
      return bad.length > 0;
    }),
  );
  const names = sorted(containers);
  const what = 'probe or lifecycle host';
  return violation(
    names,
    what,
    () => `${containerNames(names)} ${use(names.length)} ${plural(what, hosts.size)} ${quoted(sorted(hosts))}`,
  );
}

function privileged({ spec }: CheckedPod): Violation | undefined {
  const containers = namesOf(spec, ({ securityContext }) => securityContext?.privileged === true);
  return violation(
    containers,
    'privileged',
    () => `${containerNames(containers)} must not set securityContext.privileged=true`,
  );
}

function procMount({ spec }: CheckedPod): Violation | undefined {
  const types = new Set<string>();
  const containers = namesOf(spec, ({ securityContext }) => {
    const type = securityContext?.procMount;
    if (type === undefined || type === 'Default') return false;
    types.add(type);
    return true;
  });
  return violation(
    containers,
    'procMount',
    () => `${containerNames(containers)} must not set securityContext.procMount to ${quoted(sorted(types))}`,
  );
}

function seLinuxOptions(allowed: readonly string[]): CheckPod {
  return ({ spec }) => {
    const types = new Set<string>();
    const fields = new Set<string>();
    const setters = settersOf(spec, (context) => {
      const { type = '', user, role } = context?.seLinuxOptions ?? {};
      if (!allowed.includes(type)) types.add(type);
      if (user) fields.add('user');
      if (role) fields.add('role');
      return !allowed.includes(type) || Boolean(user) || Boolean(role);
    });
    if (setters.length === 0) return undefined;
    const bad = ['user', 'role'].filter((field) => fields.has(field)).map((field) => `${field} may not be set`);
    if (types.size > 0) bad.unshift(`${plural('type', types.size)} ${quoted(sorted(types))}`);
    return {
      reason: 'seLinuxOptions',
      detail: `${setters.join(' and ')} set forbidden securityContext.seLinuxOptions: ${bad.join('; ')}`,
    };
  };
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

function seccompAnnotations({ metadata: { annotations = {} }, spec }: CheckedPod): Violation | undefined {
  const keys = [SECCOMP_POD, ...namesOf(spec, () => true).map((name) => SECCOMP_CONTAINER + name)];
  const bad = new Set<string>();
  for (const key of keys) {
    const value = Object.hasOwn(annotations, key) ? annotations[key]! : undefined;
    if (value !== undefined && !/^(runtime\/default$|docker\/default$|localhost\/)/.test(value))
      bad.add(`${key}=${quote(value)}`);
  }
  const all = sorted(bad);
  return violation(all, 'seccompProfile', () => `forbidden ${plural('annotation', all.length)} ${all.join(', ')}`);
}

/** `isRequired`: a container without a profile needs one of the pod. */
function seccompProfile({ isRequired }: { readonly isRequired: boolean }): CheckPod {
  return ({ spec }) => {
    const isValid = (type: string | undefined): boolean => type === 'RuntimeDefault' || type === 'Localhost';
    const values = new Set<string>();
    const setters = settersOf(spec, (context) => {
      const profile = context?.seccompProfile;
      if (!profile || isValid(profile.type)) return false;
      values.add(profile.type ?? '');
      return true;
    });
    const field = 'securityContext.seccompProfile.type';
    if (setters.length > 0)
      return {
        reason: 'seccompProfile',
        detail: `${setters.join(' and ')} must not set ${field} to ${quoted(sorted(values))}`,
      };
    if (!isRequired || spec.securityContext?.seccompProfile) return undefined;
    const containers = namesOf(spec, ({ securityContext }) => !securityContext?.seccompProfile);
    return violation(
      containers,
      'seccompProfile',
      () => `pod or ${containerNames(containers)} must set ${field} to "RuntimeDefault" or "Localhost"`,
    );
  };
}

function sysctlVersions(): [number, CheckPod][] {
  const allowed = new Set<string>();
  const since = (minor: number, ...names: string[]): [number, CheckPod] => {
    for (const name of names) allowed.add(`net.ipv4.${name}`);
    return [minor, sysctls(new Set([...allowed, 'kernel.shm_rmid_forced']))];
  };
  return [
    since(0, 'ip_local_port_range', 'tcp_syncookies', 'ping_group_range', 'ip_unprivileged_port_start'),
    since(27, 'ip_local_reserved_ports'),
    since(29, 'tcp_keepalive_time', 'tcp_fin_timeout', 'tcp_keepalive_intvl', 'tcp_keepalive_probes'),
    since(32, 'tcp_rmem', 'tcp_wmem'),
  ];
}

function sysctls(allowed: ReadonlySet<string>): CheckPod {
  return ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.has(name));
    return violation(names, 'forbidden sysctls', () => names.join(', '));
  };
}

function windowsHostProcess({ spec }: CheckedPod): Violation | undefined {
  const setters = settersOf(spec, (context) => context?.windowsOptions?.hostProcess === true);
  return violation(
    setters,
    'hostProcess',
    () => `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`,
  );
}

function privilegeEscalation({ spec }: CheckedPod): Violation | undefined {
  const containers = namesOf(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return violation(
    containers,
    'allowPrivilegeEscalation != false',
    () => `${containerNames(containers)} must set securityContext.allowPrivilegeEscalation=false`,
  );
}

function droppedCapabilities({ spec }: CheckedPod): Violation | undefined {
  const missing = namesOf(spec, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'));
  const added = describeAdded(spec, (capability) => capability === 'NET_BIND_SERVICE');
  const details = [
    ...(missing.length > 0 ? [`${containerNames(missing)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(added === undefined ? [] : [added]),
  ];
  return violation(details, 'unrestricted capabilities', () => details.join('; '));
}

const UNRESTRICTED_VOLUMES: readonly (keyof Volume)[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

function restrictedVolumes({ spec }: CheckedPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter((volume) => !UNRESTRICTED_VOLUMES.some((field) => volume[field]));
  const types = sorted(
    new Set(bad.map((volume) => Object.keys(volume).find((field) => field !== 'name') ?? 'unknown')),
  );
  const volumes = `${plural('volume', bad.length)} ${quoted(bad.map(({ name }) => name))}`;
  return violation(
    bad,
    'restricted volume types',
    () => `${volumes} ${use(bad.length)} ${plural('restricted volume type', types.length)} ${quoted(types)}`,
  );
}

function runAsNonRoot({ spec }: CheckedPod): Violation | undefined {
  const reason = 'runAsNonRoot != true';
  const setters = settersOf(spec, (context) => context?.runAsNonRoot === false);
  if (setters.length > 0)
    return { reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  if (spec.securityContext?.runAsNonRoot) return undefined;
  const containers = namesOf(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return violation(
    containers,
    reason,
    () => `pod or ${containerNames(containers)} must set securityContext.runAsNonRoot=true`,
  );
}

function runAsUser({ spec }: CheckedPod): Violation | undefined {
  const setters = settersOf(spec, (context) => context?.runAsUser === 0);
  return violation(setters, 'runAsUser=0', () => `${setters.join(' and ')} must not set runAsUser=0`);
}

function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod));
}

/** Skips the check for pods in their own user namespace, where root has no rights outside. */
function unlessUserNamespace(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}

function violation(bad: readonly unknown[], reason: string, detail: () => string): Violation | undefined {
  return bad.length === 0 ? undefined : { reason, detail: detail() };
}

/** Returns `pod` and `containers "a", "b"`: those whose security context is bad. */
function settersOf(spec: PodSpec, isBad: (context: SecurityContext | PodSpec['securityContext']) => boolean): string[] {
  const setters = isBad(spec.securityContext) ? ['pod'] : [];
  const containers = namesOf(spec, ({ securityContext }) => isBad(securityContext));
  return containers.length === 0 ? setters : [...setters, containerNames(containers)];
}

function namesOf(spec: PodSpec, isBad: (container: Container) => boolean): string[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
  return [...initContainers, ...containers, ...ephemeralContainers].filter(isBad).map(({ name }) => name);
}

function containerNames(names: readonly string[]): string {
  return `${plural('container', names.length)} ${quoted(names)}`;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(', ');
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

function use(count: number): string {
  return count === 1 ? 'uses' : 'use';
}

function sorted(texts: ReadonlySet<string>): string[] {
  return [...texts].sort(byCodePoint);
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
