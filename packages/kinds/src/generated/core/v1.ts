import type { KubernetesList, KubernetesObject, ObjectMeta, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Condition, IntOrString, LabelSelector, MicroTime, Quantity, Time } from '../meta/v1.ts';

/** A disk of AWS Elastic Block Store, which must be in the zone of the node. */
export interface AWSElasticBlockStoreVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The number of the partition to mount. 0 or none means the whole disk. */
  partition?: number;
  /** Whether the disk is mounted read-only. */
  readOnly?: boolean;
  /** The ID of the disk at AWS. */
  volumeID: string;
}

/** Rules about nodes and other pods that the scheduler follows when it chooses a node for a pod. */
export interface Affinity {
  /** Which nodes the pod needs or prefers. */
  nodeAffinity?: NodeAffinity;
  /** Which pods the pod needs or prefers to have near it. */
  podAffinity?: PodAffinity;
  /** Which pods the pod needs or prefers to keep away from. */
  podAntiAffinity?: PodAntiAffinity;
}

/** The AppArmor profile that confines a container. */
export interface AppArmorProfile {
  /** The name of a profile that is loaded on the node. It is required with `Localhost` and not allowed otherwise. */
  localhostProfile?: string;
  /**
   * Which profile is used.
   * - `Localhost`: The one that `localhostProfile` names.
   * - `RuntimeDefault`: That of the container runtime.
   * - `Unconfined`: None.
   */
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
}

/** A volume that is attached to a node. */
export interface AttachedVolume {
  /** The path of the device on the node. */
  devicePath: string;
  /** The name of the volume, which contains its driver. */
  name: string;
}

/** A data disk of Azure. */
export interface AzureDiskVolumeSource {
  /**
   * How the node caches the disk.
   * - `None`: Not at all.
   * - `ReadOnly`: For reading only.
   * - `ReadWrite`: For reading and writing.
   * @default "ReadWrite"
   */
  cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite';
  /** The name of the disk in its storage. */
  diskName: string;
  /** The URI of the disk in its storage. */
  diskURI: string;
  /**
   * The file system to mount. The node must support it.
   * @default "ext4"
   */
  fsType?: string;
  /**
   * Where the disk lives.
   * - `Dedicated`: A blob in a storage account of its own.
   * - `Managed`: A managed disk.
   * - `Shared`: A blob in a storage account with others.
   * @default "Shared"
   */
  kind?: 'Dedicated' | 'Managed' | 'Shared';
  /**
   * Whether the disk is mounted read-only.
   * @default false
   */
  readOnly?: boolean;
}

/** A file share of Azure behind a PersistentVolume. */
export interface AzureFilePersistentVolumeSource {
  /** Whether the share is mounted read-only. */
  readOnly?: boolean;
  /** The Secret with the storage account's name and key. */
  secretName: string;
  /** The namespace of the Secret. Without it, that of the claim which uses the volume. */
  secretNamespace?: string;
  /** The name of the share. */
  shareName: string;
}

/** A file share of Azure. */
export interface AzureFileVolumeSource {
  /** Whether the share is mounted read-only. */
  readOnly?: boolean;
  /** The Secret in the pod's namespace with the storage account's name and key. */
  secretName: string;
  /** The name of the share. */
  shareName: string;
}

/** Assigns a pod to a node. Schedulers create it at the pod's `binding` subresource. */
export interface Binding extends KubernetesObject {
  /** The node that the pod is assigned to. */
  target: ObjectReference;
}
export const Binding: ResourceType<Binding, 'Namespaced'> = /* @__PURE__ */ resourceType<Binding, 'Namespaced'>({ group: '', version: 'v1', kind: 'Binding', plural: 'bindings', scope: 'Namespaced' });

/** A volume of a CSI driver behind a PersistentVolume. */
export interface CSIPersistentVolumeSource {
  /** The Secret that is passed to the driver when it expands the volume. It may be added later. */
  controllerExpandSecretRef?: SecretReference;
  /** The Secret that is passed to the driver when it attaches or detaches the volume. */
  controllerPublishSecretRef?: SecretReference;
  /** The name of the CSI driver, as in its CSIDriver object. */
  driver: string;
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The Secret that is passed to the driver when it expands the volume on the node. */
  nodeExpandSecretRef?: SecretReference;
  /** The Secret that is passed to the driver when it mounts the volume for a pod. */
  nodePublishSecretRef?: SecretReference;
  /** The Secret that is passed to the driver when it prepares the volume on the node. */
  nodeStageSecretRef?: SecretReference;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** Settings for the driver, from when the volume was made. */
  volumeAttributes?: Record<string, string>;
  /** The ID that the driver gave to the volume. */
  volumeHandle: string;
}

/** A short-lived volume that a CSI driver makes for one pod. */
export interface CSIVolumeSource {
  /** The name of the CSI driver, as in its CSIDriver object. */
  driver: string;
  /** The file system to mount, such as `ext4`. Without it, the driver decides. */
  fsType?: string;
  /** A Secret in the pod's namespace that is passed to the driver when the volume is mounted. */
  nodePublishSecretRef?: LocalObjectReference;
  /** Whether the volume is read-only. Without it, the volume can be written. */
  readOnly?: boolean;
  /** Settings for the driver, whose documentation says what they mean. */
  volumeAttributes?: Record<string, string>;
}

/** Linux capabilities that a container gets or loses. */
export interface Capabilities {
  /** Capabilities to add, by names such as `NET_ADMIN` without `CAP_`. */
  add?: string[];
  /** Capabilities to drop. `ALL` drops every one that is not added. */
  drop?: string[];
}

/** A directory of CephFS behind a PersistentVolume. */
export interface CephFSPersistentVolumeSource {
  /** The addresses of the Ceph monitors. */
  monitors: string[];
  /** The directory to mount. Without it, the root is mounted. */
  path?: string;
  /** Whether the directory is mounted read-only. */
  readOnly?: boolean;
  /** The path on the node of the user's key ring. Without it, `/etc/ceph/user.secret` is used. */
  secretFile?: string;
  /** The Secret with the user's key, which wins over `secretFile`. */
  secretRef?: SecretReference;
  /** The user at Ceph. Without it, `admin` is used. */
  user?: string;
}

/** A directory of CephFS. */
export interface CephFSVolumeSource {
  /** The addresses of the Ceph monitors. */
  monitors: string[];
  /** The directory to mount. Without it, the root is mounted. */
  path?: string;
  /** Whether the directory is mounted read-only. */
  readOnly?: boolean;
  /** The path on the node of the user's key ring. Without it, `/etc/ceph/user.secret` is used. */
  secretFile?: string;
  /** A Secret in the pod's namespace with the user's key, which wins over `secretFile`. */
  secretRef?: LocalObjectReference;
  /** The user at Ceph. Without it, `admin` is used. */
  user?: string;
}

/** A volume of OpenStack Cinder behind a PersistentVolume. */
export interface CinderPersistentVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** The Secret with parameters to connect to OpenStack. Its namespace is required. */
  secretRef?: SecretReference;
  /** The ID of the volume at Cinder. */
  volumeID: string;
}

/** A volume of OpenStack Cinder. */
export interface CinderVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** A Secret in the pod's namespace with parameters to connect to OpenStack. */
  secretRef?: LocalObjectReference;
  /** The ID of the volume at Cinder. */
  volumeID: string;
}

/** Details of affinity by the client's address. */
export interface ClientIPConfig {
  /**
   * For how many seconds a client reaches the same pod, 1 to 86400.
   * @default 10800
   */
  timeoutSeconds?: number;
}

/** A file with the certificates of one or more ClusterTrustBundles. */
export interface ClusterTrustBundleProjection {
  /** Selects bundles of `signerName` by labels. Without it none is selected, with an empty one all are. */
  labelSelector?: LabelSelector;
  /** The name of a single bundle. It excludes `signerName` and `labelSelector`. */
  name?: string;
  /** Whether the pod may start without any bundle. */
  optional?: boolean;
  /** The path of the file in the volume. */
  path: string;
  /** The signer whose bundles are put together, without duplicates and in no particular order. It excludes `name`. */
  signerName?: string;
}

/** An observation about the health of a component. */
export interface ComponentCondition {
  /** The error code of the last health check. */
  error?: string;
  /** The message of the last health check. */
  message?: string;
  /** Whether the component is healthy, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, which is `Healthy`. */
  type: string;
}

/** The health of a part of the control plane. It is deprecated since Kubernetes 1.19 and often wrong. */
export interface ComponentStatus extends KubernetesObject {
  /** Observations about the component. */
  conditions?: ComponentCondition[];
}
export const ComponentStatus: ResourceType<ComponentStatus, 'Cluster'> = /* @__PURE__ */ resourceType<ComponentStatus, 'Cluster'>({ group: '', version: 'v1', kind: 'ComponentStatus', plural: 'componentstatuses', scope: 'Cluster', shortNames: ['cs'] });

/** A list of ComponentStatuses. */
export type ComponentStatusList = KubernetesList<ComponentStatus>;

/** Settings for pods to read, as keys with values. */
export interface ConfigMap extends KubernetesObject {
  /**
   * Values that are not text, in base64. A key must not occur in `data` too; all values together may have at most 1
   * MiB.
   */
  binaryData?: Record<string, string>;
  /**
   * Values that are text. A key has letters, digits, hyphens, underscores and dots; all values together may have at
   * most 1 MiB.
   */
  data?: Record<string, string>;
  /**
   * Whether the data is fixed for good. Once it is `true`, neither it nor the data can change, and nodes need not
   * watch it.
   */
  immutable?: boolean;
}
export const ConfigMap: ResourceType<ConfigMap, 'Namespaced'> = /* @__PURE__ */ resourceType<ConfigMap, 'Namespaced'>({ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced', shortNames: ['cm'] });

/** A ConfigMap whose keys all become environment variables. */
export interface ConfigMapEnvSource {
  /** The name of the ConfigMap in the pod's namespace. */
  name?: string;
  /** Whether the container may start without the ConfigMap. */
  optional?: boolean;
}

/** One key of a ConfigMap. */
export interface ConfigMapKeySelector {
  /** The key whose value is used. */
  key: string;
  /** The name of the ConfigMap in the pod's namespace. */
  name?: string;
  /** Whether the container may start without the ConfigMap or its key. */
  optional?: boolean;
}

/** A list of ConfigMaps. */
export type ConfigMapList = KubernetesList<ConfigMap>;

/** The ConfigMap in which a kubelet found its configuration. It has no effect any more. */
export interface ConfigMapNodeConfigSource {
  /** The key of the ConfigMap that holds the configuration. */
  kubeletConfigKey: string;
  /** The name of the ConfigMap. */
  name: string;
  /** The namespace of the ConfigMap. */
  namespace: string;
  /** The resource version of the ConfigMap that the node uses. It belongs in the status only. */
  resourceVersion?: string;
  /** The UID of the ConfigMap that the node uses. It belongs in the status only. */
  uid?: string;
}

/** Files from the keys of a ConfigMap, as part of a projected volume. */
export interface ConfigMapProjection {
  /** The keys to use and the files that they become. Without it, each key becomes a file of its name. */
  items?: KeyToPath[];
  /** The name of the ConfigMap in the pod's namespace. */
  name?: string;
  /** Whether the pod may start without the ConfigMap or its keys. */
  optional?: boolean;
}

/** Files from the keys of a ConfigMap. They follow changes of it, unless they are mounted with `subPath`. */
export interface ConfigMapVolumeSource {
  /**
   * The permission bits of the files, 0 to 0777 in octal or 0 to 511 in decimal; JSON needs decimal.
   * @default 420
   */
  defaultMode?: number;
  /** The keys to use and the files that they become. Without it, each key becomes a file of its name. */
  items?: KeyToPath[];
  /** The name of the ConfigMap in the pod's namespace. */
  name?: string;
  /** Whether the pod may start without the ConfigMap or its keys. */
  optional?: boolean;
}

/** One container of a pod. */
export interface Container {
  /**
   * Arguments of the entry point, in place of the image's own. References as `$(NAME)` to environment variables of the
   * container are replaced; `$$(NAME)` stays as `$(NAME)`.
   */
  args?: string[];
  /**
   * The program and its first arguments, in place of the image's entry point. It runs without a shell; references as
   * `$(NAME)` are replaced.
   */
  command?: string[];
  /** Environment variables, of which the last one of a name counts. They win over those from `envFrom`. */
  env?: EnvVar[];
  /** ConfigMaps and Secrets whose keys all become environment variables. Where keys repeat, the later source wins. */
  envFrom?: EnvFromSource[];
  /**
   * The image to run, as `registry.example.com/team/app:1.2`. It can change while the pod runs, which restarts the
   * container.
   */
  image?: string;
  /**
   * When the node pulls the image. Without it, an image with the tag `latest`, or with neither a tag nor a digest,
   * gets `Always`, any other `IfNotPresent`.
   * - `Always`: At every start of the container, to be current.
   * - `IfNotPresent`: If the node does not have it yet.
   * - `Never`: Not at all; the node must have it.
   */
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** Says what happens when the container starts and before it stops. */
  lifecycle?: Lifecycle;
  /** A check that restarts the container when it fails. */
  livenessProbe?: Probe;
  /** The container's name, a DNS label that is unique in the pod. */
  name: string;
  /** Ports that the container listens on. Leaving one out does not close it. */
  ports?: ContainerPort[];
  /** A check that takes the container's pod out of services while it fails. */
  readinessProbe?: Probe;
  /** Whether a change of CPU or memory restarts the container. It can only be given at creation. */
  resizePolicy?: ContainerResizePolicy[];
  /**
   * The amounts of CPU, memory and other resources that the container needs, and may use at most. CPU and memory can
   * change through the `resize` subresource.
   */
  resources?: ResourceRequirements;
  /**
   * When the container is restarted, in place of the pod's own policy; one of `Always`, `OnFailure` and `Never`. An
   * init container with `Always` keeps running as a sidecar.
   */
  restartPolicy?: string;
  /**
   * Exit codes after which something else is done than `restartPolicy` says. The first of at most 20 rules that fits
   * counts; `restartPolicy` is required.
   */
  restartPolicyRules?: ContainerRestartRule[];
  /** Users, privileges and profiles of the container, which win over those of the pod. */
  securityContext?: SecurityContext;
  /** A check that must succeed once before the other probes begin. If it fails for good, the container is restarted. */
  startupProbe?: Probe;
  /** Whether the container keeps a standard input open to which clients can attach. */
  stdin?: boolean;
  /** Whether the standard input closes after the first client has detached. It needs `stdin`. */
  stdinOnce?: boolean;
  /**
   * The path of the file in the container from which its last message is read when it ends. A message has at most 4096
   * bytes, and all of a pod together 12 KiB.
   * @default "/dev/termination-log"
   */
  terminationMessagePath?: string;
  /**
   * Where the container's last message comes from.
   * - `File`: The file at `terminationMessagePath`.
   * - `FallbackToLogsOnError`: The end of the log, if the file is empty and the container failed.
   * @default "File"
   */
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File';
  /** Whether the container gets a terminal. It needs `stdin`. */
  tty?: boolean;
  /** Volumes that the container uses as raw block devices. */
  volumeDevices?: VolumeDevice[];
  /** Volumes that are mounted into the file system of the container. */
  volumeMounts?: VolumeMount[];
  /** The directory in which the container starts. Without it, the image decides. */
  workingDir?: string;
}

/** The request of a ResourceClaim that serves an extended resource of a container. */
export interface ContainerExtendedResourceRequest {
  /** The name of the container that requests the resource. */
  containerName: string;
  /** The request of the ResourceClaim that serves the resource. */
  requestName: string;
  /** The name of the extended resource, such as `example.com/gpu`. */
  resourceName: string;
}

/** An image that a node has. */
export interface ContainerImage {
  /** The names by which the image is known, with tags and with digests. */
  names?: string[];
  /** How many bytes the image takes up. */
  sizeBytes?: number;
}

/** A port that a container listens on. */
export interface ContainerPort {
  /** The number of the port in the pod's network, 1 to 65535. */
  containerPort: number;
  /** The IP address of the node at which `hostPort` is open. Without it, all addresses are used. */
  hostIP?: string;
  /** A port of the node that leads to this one, 1 to 65535. With `hostNetwork` it equals `containerPort`. */
  hostPort?: number;
  /**
   * A name for the port that services and probes can use, at most 15 lower-case letters, digits and hyphens. It is
   * unique in the container; if another container of the pod has it too, the first one counts.
   */
  name?: string;
  /**
   * The protocol that is spoken at the port.
   * - `TCP`: Transmission Control Protocol.
   * - `UDP`: User Datagram Protocol.
   * - `SCTP`: Stream Control Transmission Protocol.
   * @default "TCP"
   */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** How the container takes a change of one of its resources. */
export interface ContainerResizePolicy {
  /** The resource that the policy is about, either `cpu` or `memory`. */
  resourceName: string;
  /** Whether the container restarts when the resource changes, either `NotRequired` or `RestartContainer`. */
  restartPolicy: string;
}

/** Says what to do when a container ended with certain exit codes. */
export interface ContainerRestartRule {
  /** Says what to do, either `Restart` for the container alone or `RestartAllContainers` for the whole pod in place. */
  action: string;
  /** The exit codes to which the rule applies. */
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** A set of exit codes. */
export interface ContainerRestartRuleOnExitCodes {
  /** Whether the rule applies to the codes in `values` or to all others, either `In` or `NotIn`. */
  operator: string;
  /** The exit codes, at most 255. */
  values?: number[];
}

/** Says what a container is doing. At most one of the fields is set; without any, the container waits. */
export interface ContainerState {
  /** Details of a container that runs. */
  running?: ContainerStateRunning;
  /** Details of a container that has ended. */
  terminated?: ContainerStateTerminated;
  /** Details of a container that has not started yet, because its image is pulled, for example. */
  waiting?: ContainerStateWaiting;
}

/** Details of a container that runs. */
export interface ContainerStateRunning {
  /** When the container was last started. */
  startedAt?: Time | null;
}

/** Details of a container that has ended. */
export interface ContainerStateTerminated {
  /** The runtime and the ID of the container that ended. */
  containerID?: string;
  /** The exit code of the container's first process. */
  exitCode: number;
  /** When the container ended. */
  finishedAt?: Time | null;
  /** The container's last message, from its termination message file or its log. */
  message?: string;
  /** A CamelCase word for why the container ended, such as `Completed`, `Error` or `OOMKilled`. */
  reason?: string;
  /** The number of the signal that ended the container, if one did. */
  signal?: number;
  /** When the container was started. */
  startedAt?: Time | null;
}

/** Details of a container that has not started. */
export interface ContainerStateWaiting {
  /** An explanation for people of why the container waits. */
  message?: string;
  /** A CamelCase word for why the container waits, such as `ContainerCreating` or `ImagePullBackOff`. */
  reason?: string;
}

/** The state of one container of a pod. */
export interface ContainerStatus {
  /** The resources that the node has set aside for the container. A resize that was granted shows here first. */
  allocatedResources?: Record<string, Quantity>;
  /** The health of devices and other special resources that the container has. */
  allocatedResourcesStatus?: ResourceStatus[];
  /** The runtime and the ID of the container, as `containerd://4f2a…`. It changes with every restart. */
  containerID?: string;
  /** The image that the container runs, as the runtime names it. It may differ in spelling from the one in `spec`. */
  image: string;
  /** The ID of the image, by which its exact contents are known. */
  imageID: string;
  /** How the previous run of the container ended. It is empty before the first restart. */
  lastState?: ContainerState;
  /** The name of the container in `spec`. */
  name: string;
  /** Whether the container passes its readiness probe. Without a probe it is ready while it runs. */
  ready: boolean;
  /** The requests and limits that are in force for the running container. */
  resources?: ResourceRequirements;
  /**
   * How often the container was started again. It can fall short, because it is counted from what the node still
   * knows.
   */
  restartCount: number;
  /** Whether the container runs and has passed its startup probe, if it has one, and its `postStart` hook. */
  started?: boolean;
  /** Whether the container waits, runs or has ended, with details. */
  state?: ContainerState;
  /**
   * The signal that asks the container to stop. It needs a feature that is not enabled by default.
   * - `SIGABRT`: Abort, with a core dump.
   * - `SIGALRM`: A real-time timer ran out.
   * - `SIGBUS`: A bad memory access.
   * - `SIGCHLD`: A child process changed its state.
   * - `SIGCLD`: Another name of `SIGCHLD`.
   * - `SIGCONT`: Go on after a stop.
   * - `SIGFPE`: An arithmetic error.
   * - `SIGHUP`: The terminal hung up; often a request to reload.
   * - `SIGILL`: An illegal instruction.
   * - `SIGINT`: An interrupt from the keyboard.
   * - `SIGIO`: Input or output is possible.
   * - `SIGIOT`: Another name of `SIGABRT`.
   * - `SIGKILL`: End at once; it cannot be caught.
   * - `SIGPIPE`: A write to a pipe without a reader.
   * - `SIGPOLL`: Another name of `SIGIO`.
   * - `SIGPROF`: A profiling timer ran out.
   * - `SIGPWR`: A power failure.
   * - `SIGQUIT`: Quit, with a core dump.
   * - `SIGRTMIN`: The lowest real-time signal.
   * - `SIGRTMIN+1`: A real-time signal, the lowest plus 1.
   * - `SIGRTMIN+2`: A real-time signal, the lowest plus 2.
   * - `SIGRTMIN+3`: A real-time signal, the lowest plus 3.
   * - `SIGRTMIN+4`: A real-time signal, the lowest plus 4.
   * - `SIGRTMIN+5`: A real-time signal, the lowest plus 5.
   * - `SIGRTMIN+6`: A real-time signal, the lowest plus 6.
   * - `SIGRTMIN+7`: A real-time signal, the lowest plus 7.
   * - `SIGRTMIN+8`: A real-time signal, the lowest plus 8.
   * - `SIGRTMIN+9`: A real-time signal, the lowest plus 9.
   * - `SIGRTMIN+10`: A real-time signal, the lowest plus 10.
   * - `SIGRTMIN+11`: A real-time signal, the lowest plus 11.
   * - `SIGRTMIN+12`: A real-time signal, the lowest plus 12.
   * - `SIGRTMIN+13`: A real-time signal, the lowest plus 13.
   * - `SIGRTMIN+14`: A real-time signal, the lowest plus 14.
   * - `SIGRTMIN+15`: A real-time signal, the lowest plus 15.
   * - `SIGRTMAX`: The highest real-time signal.
   * - `SIGRTMAX-1`: A real-time signal, the highest minus 1.
   * - `SIGRTMAX-2`: A real-time signal, the highest minus 2.
   * - `SIGRTMAX-3`: A real-time signal, the highest minus 3.
   * - `SIGRTMAX-4`: A real-time signal, the highest minus 4.
   * - `SIGRTMAX-5`: A real-time signal, the highest minus 5.
   * - `SIGRTMAX-6`: A real-time signal, the highest minus 6.
   * - `SIGRTMAX-7`: A real-time signal, the highest minus 7.
   * - `SIGRTMAX-8`: A real-time signal, the highest minus 8.
   * - `SIGRTMAX-9`: A real-time signal, the highest minus 9.
   * - `SIGRTMAX-10`: A real-time signal, the highest minus 10.
   * - `SIGRTMAX-11`: A real-time signal, the highest minus 11.
   * - `SIGRTMAX-12`: A real-time signal, the highest minus 12.
   * - `SIGRTMAX-13`: A real-time signal, the highest minus 13.
   * - `SIGRTMAX-14`: A real-time signal, the highest minus 14.
   * - `SIGSEGV`: An access to memory that is not there.
   * - `SIGSTKFLT`: A stack fault of the coprocessor.
   * - `SIGSTOP`: Stop for now; it cannot be caught.
   * - `SIGSYS`: A bad system call.
   * - `SIGTERM`: A request to end, the usual one.
   * - `SIGTRAP`: A trap of a debugger.
   * - `SIGTSTP`: A stop from the terminal.
   * - `SIGTTIN`: Input from the terminal in the background.
   * - `SIGTTOU`: Output to the terminal in the background.
   * - `SIGURG`: Urgent data on a socket.
   * - `SIGUSR1`: The first signal that programs define for themselves.
   * - `SIGUSR2`: The second signal that programs define for themselves.
   * - `SIGVTALRM`: A timer of processor time ran out.
   * - `SIGWINCH`: The terminal window changed its size.
   * - `SIGXCPU`: The limit of processor time was exceeded.
   * - `SIGXFSZ`: The limit of file size was exceeded.
   */
  stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ';
  /** The user and groups that the container's first process started with. */
  user?: ContainerUser;
  /** The volumes that are mounted in the container, and how. */
  volumeMounts?: VolumeMountStatus[];
}

/** The user that a container runs as, in the form of its operating system. */
export interface ContainerUser {
  /** The user and groups on Linux. */
  linux?: LinuxContainerUser;
}

/** A port of a daemon. */
export interface DaemonEndpoint {
  /** The number of the port. The name of the field begins with a capital letter. */
  Port: number;
}

/** Files with fields of the pod itself, as part of a projected volume. */
export interface DownwardAPIProjection {
  /** The files and the fields that they show. */
  items?: DownwardAPIVolumeFile[];
}

/** A file with one field of the pod, or with one request or limit of a container. Exactly one of the two is given. */
export interface DownwardAPIVolumeFile {
  /** The field of the pod, one of its annotations, labels, name, namespace and UID. */
  fieldRef?: ObjectFieldSelector;
  /** The permission bits of the file, in place of the volume's `defaultMode`. */
  mode?: number;
  /** The path of the file in the volume, relative and without `..`. */
  path: string;
  /** The request or limit of a container. */
  resourceFieldRef?: ResourceFieldSelector;
}

/** Files with fields of the pod itself. */
export interface DownwardAPIVolumeSource {
  /**
   * The permission bits of the files, 0 to 0777 in octal or 0 to 511 in decimal; JSON needs decimal.
   * @default 420
   */
  defaultMode?: number;
  /** The files and the fields that they show. */
  items?: DownwardAPIVolumeFile[];
}

/** A directory that is empty when the pod starts on its node and is deleted with the pod. */
export interface EmptyDirVolumeSource {
  /**
   * Where the files are kept. Empty means the node's disk, `Memory` a file system in memory, `HugePages` or
   * `HugePages-SIZE` huge pages.
   */
  medium?: string;
  /**
   * How much the directory may hold. With `Memory`, no more than the memory limits of all containers together fits in
   * any case.
   */
  sizeLimit?: Quantity;
}

/** One address behind a service. */
export interface EndpointAddress {
  /** The host name of the endpoint in DNS. */
  hostname?: string;
  /** The IP address of the endpoint. Loopback, link-local and multicast addresses are not allowed. */
  ip: string;
  /** The node that the endpoint is on. */
  nodeName?: string;
  /** The object that has the address, usually a pod. */
  targetRef?: ObjectReference;
}

/** A port of an endpoint. */
export interface EndpointPort {
  /** The application protocol at the port, as a hint, such as `https` or the qualified `kubernetes.io/h2c`. */
  appProtocol?: string;
  /** The name of the service's port. It may be left out if there is only one. */
  name?: string;
  /** The number of the port at the endpoint. */
  port: number;
  /**
   * The protocol that is spoken at the port.
   * - `TCP`: Transmission Control Protocol.
   * - `UDP`: User Datagram Protocol.
   * - `SCTP`: Stream Control Transmission Protocol.
   * @default "TCP"
   */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** Addresses that share a set of ports. */
export interface EndpointSubset {
  /** Addresses that are ready for traffic. */
  addresses?: EndpointAddress[];
  /** Addresses that are not ready, because they start, fail a check or end. */
  notReadyAddresses?: EndpointAddress[];
  /** The ports at these addresses. */
  ports?: EndpointPort[];
}

/**
 * The addresses behind a service, in the older form. It is deprecated since Kubernetes 1.33 in favour of
 * EndpointSlices.
 */
export interface Endpoints extends KubernetesObject {
  /** The addresses and ports, in sets. The endpoints are all pairs of an address and a port of the same set. */
  subsets?: EndpointSubset[];
}
export const Endpoints: ResourceType<Endpoints, 'Namespaced'> = /* @__PURE__ */ resourceType<Endpoints, 'Namespaced'>({ group: '', version: 'v1', kind: 'Endpoints', plural: 'endpoints', scope: 'Namespaced', shortNames: ['ep'] });

/** A list of Endpoints. */
export type EndpointsList = KubernetesList<Endpoints>;

/** A ConfigMap or Secret whose keys all become environment variables. Exactly one of the two is given. */
export interface EnvFromSource {
  /** The ConfigMap in the pod's namespace. */
  configMapRef?: ConfigMapEnvSource;
  /** Text that is put before each key to make the name of the variable. */
  prefix?: string;
  /** The Secret in the pod's namespace. */
  secretRef?: SecretEnvSource;
}

/** An environment variable of a container. */
export interface EnvVar {
  /** The name of the variable. It may contain any printable ASCII characters except `=`. */
  name: string;
  /**
   * The value of the variable. References as `$(NAME)` to variables that stand before it are replaced; `$$(NAME)`
   * stays as `$(NAME)`.
   */
  value?: string;
  /** Where the value comes from, if it is not written in `value`. */
  valueFrom?: EnvVarSource;
}

/** Where the value of an environment variable comes from. Exactly one source is given. */
export interface EnvVarSource {
  /** One value of a ConfigMap in the pod's namespace. */
  configMapKeyRef?: ConfigMapKeySelector;
  /** A field of the pod itself, such as `metadata.name` or `status.podIP`. */
  fieldRef?: ObjectFieldSelector;
  /** A key in a file of environment variables, which an init container wrote to a volume of the pod. */
  fileKeyRef?: FileKeySelector;
  /** A request or limit of a container. */
  resourceFieldRef?: ResourceFieldSelector;
  /** One value of a Secret in the pod's namespace. */
  secretKeyRef?: SecretKeySelector;
}

/** A container that was added to a running pod to look into it. It has no guaranteed resources and is never restarted. */
export interface EphemeralContainer {
  /**
   * Arguments of the entry point, in place of the image's own. References as `$(NAME)` to environment variables of the
   * container are replaced; `$$(NAME)` stays as `$(NAME)`.
   */
  args?: string[];
  /**
   * The program and its first arguments, in place of the image's entry point. It runs without a shell; references as
   * `$(NAME)` are replaced.
   */
  command?: string[];
  /** Environment variables, of which the last one of a name counts. They win over those from `envFrom`. */
  env?: EnvVar[];
  /** ConfigMaps and Secrets whose keys all become environment variables. Where keys repeat, the later source wins. */
  envFrom?: EnvFromSource[];
  /** The image to run, as `registry.example.com/team/tools:1.2`. */
  image?: string;
  /**
   * When the node pulls the image. Without it, an image with the tag `latest`, or with neither a tag nor a digest,
   * gets `Always`, any other `IfNotPresent`.
   * - `Always`: At the start of the container, to be current.
   * - `IfNotPresent`: If the node does not have it yet.
   * - `Never`: Not at all; the node must have it.
   */
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** Not allowed for ephemeral containers. */
  lifecycle?: Lifecycle;
  /** Not allowed for ephemeral containers. */
  livenessProbe?: Probe;
  /** The container's name, a DNS label that is unique among all containers of the pod. */
  name: string;
  /** Not allowed for ephemeral containers. */
  ports?: ContainerPort[];
  /** Not allowed for ephemeral containers. */
  readinessProbe?: Probe;
  /** Not allowed for ephemeral containers. */
  resizePolicy?: ContainerResizePolicy[];
  /** Not allowed for ephemeral containers, which use what the pod leaves over. */
  resources?: ResourceRequirements;
  /** Not allowed for ephemeral containers, which never restart. */
  restartPolicy?: string;
  /** Not allowed for ephemeral containers, which never restart. */
  restartPolicyRules?: ContainerRestartRule[];
  /** Users, privileges and profiles of the container, which win over those of the pod. */
  securityContext?: SecurityContext;
  /** Not allowed for ephemeral containers. */
  startupProbe?: Probe;
  /** Whether the container keeps a standard input open to which clients can attach. */
  stdin?: boolean;
  /** Whether the standard input closes after the first client has detached. It needs `stdin`. */
  stdinOnce?: boolean;
  /** The container of the pod whose processes this one sees. Without it, the pod's own settings decide. */
  targetContainerName?: string;
  /**
   * The path of the file in the container from which its last message is read when it ends.
   * @default "/dev/termination-log"
   */
  terminationMessagePath?: string;
  /**
   * Where the container's last message comes from.
   * - `File`: The file at `terminationMessagePath`.
   * - `FallbackToLogsOnError`: The end of the log, if the file is empty and the container failed.
   * @default "File"
   */
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File';
  /** Whether the container gets a terminal. It needs `stdin`. */
  tty?: boolean;
  /** Volumes that the container uses as raw block devices. */
  volumeDevices?: VolumeDevice[];
  /** Volumes of the pod that are mounted into the file system of the container, without `subPath`. */
  volumeMounts?: VolumeMount[];
  /** The directory in which the container starts. Without it, the image decides. */
  workingDir?: string;
}

/** A persistent volume claim that is made for the pod and is deleted with it. */
export interface EphemeralVolumeSource {
  /** The claim to make. Its name is the pod's name and the volume's name, joined by a hyphen. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** A report of something that happened to an object. Events are kept for a limited time only. */
export interface Event extends KubernetesObject {
  /** Says what was done to the object, or failed, as a CamelCase word. */
  action?: string;
  /** How often the event happened. */
  count?: number;
  /** When the event was first seen, to the microsecond. */
  eventTime?: MicroTime | null;
  /** When the event was first seen, as older reporters give it. */
  firstTimestamp?: Time | null;
  /** The object that the event is about. It must be in the event's namespace. */
  involvedObject: ObjectReference;
  /** When the event was last seen, as older reporters give it. */
  lastTimestamp?: Time | null;
  /** A description of what happened, for people. */
  message?: string;
  /** Why the event happened, as a CamelCase word such as `FailedScheduling`. */
  reason?: string;
  /** A second object that the event is about, if the action concerns two. */
  related?: ObjectReference;
  /** The controller that reports the event, as `example.com/controller`. */
  reportingComponent?: string;
  /** The instance of the controller that reports the event, often a pod. */
  reportingInstance?: string;
  /** How often and when a repeated event was last seen. It is absent for a single one. */
  series?: EventSeries;
  /** The component that reports the event, as older reporters give it. */
  source?: EventSource;
  /** The severity of the event, either `Normal` or `Warning`. */
  type?: string;
}
export const Event: ResourceType<Event, 'Namespaced'> = /* @__PURE__ */ resourceType<Event, 'Namespaced'>({ group: '', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced', shortNames: ['ev'] });

/** A list of Events. */
export type EventList = KubernetesList<Event>;

/** How often a repeated event was seen. */
export interface EventSeries {
  /** How often the event was seen up to `lastObservedTime`. */
  count?: number;
  /** When the event was last seen. */
  lastObservedTime?: MicroTime | null;
}

/** The component that reports an event. */
export interface EventSource {
  /** The name of the component, such as `kubelet`. */
  component?: string;
  /** The node on which the component runs. */
  host?: string;
}

/** A command that runs in a container. */
export interface ExecAction {
  /** The program and its arguments. It runs without a shell, in the root directory of the container's file system. */
  command?: string[];
}

/** A Fibre Channel disk that is attached to the node, named by world wide names and a unit number, or by identifiers. */
export interface FCVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The logical unit number at the target. */
  lun?: number;
  /** Whether the disk is mounted read-only. */
  readOnly?: boolean;
  /** World wide names of the target. They need `lun` and exclude `wwids`. */
  targetWWNs?: string[];
  /** World wide identifiers of the disk. They exclude `targetWWNs`. */
  wwids?: string[];
}

/** One key in a file of environment variables on a volume of the pod. */
export interface FileKeySelector {
  /** The name of the variable in the file, which becomes the value of the container's variable. */
  key: string;
  /**
   * Whether the container may start although the file does not have the key. The variable is not set then.
   * @default false
   */
  optional?: boolean;
  /** The path of the file in the volume, relative and without `..`. */
  path: string;
  /** The name of the pod's volume that holds the file, to which an init container can write it. */
  volumeName: string;
}

/** A volume behind a PersistentVolume that a program on the node mounts. */
export interface FlexPersistentVolumeSource {
  /** The name of the program, as `example.com/disk`. */
  driver: string;
  /** The file system to mount, such as `ext4`. Without it, the program decides. */
  fsType?: string;
  /** Settings for the program, whose documentation says what they mean. */
  options?: Record<string, string>;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** The Secret that is passed to the program. */
  secretRef?: SecretReference;
}

/** A volume that a program on the node mounts. */
export interface FlexVolumeSource {
  /** The name of the program, as `example.com/disk`. */
  driver: string;
  /** The file system to mount, such as `ext4`. Without it, the program decides. */
  fsType?: string;
  /** Settings for the program, whose documentation says what they mean. */
  options?: Record<string, string>;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** A Secret in the pod's namespace that is passed to the program. */
  secretRef?: LocalObjectReference;
}

/** A dataset of Flocker, given by name or by UUID. */
export interface FlockerVolumeSource {
  /** The name of the dataset. It excludes `datasetUUID`. */
  datasetName?: string;
  /** The UUID of the dataset. It excludes `datasetName`. */
  datasetUUID?: string;
}

/** A persistent disk of Google Compute Engine, which must be in the project and zone of the node. */
export interface GCEPersistentDiskVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The number of the partition to mount. 0 or none means the whole disk. */
  partition?: number;
  /** The name of the disk at Google Compute Engine. */
  pdName: string;
  /** Whether the disk is mounted read-only. Several nodes can use it at once only if it is. */
  readOnly?: boolean;
}

/** A health check by the gRPC health protocol. */
export interface GRPCAction {
  /** The number of the port that the gRPC server listens on, 1 to 65535. */
  port: number;
  /**
   * The service name in the health request. What an empty name means is the server's choice.
   * @default ""
   */
  service?: string;
}

/** A directory with a clone of a Git repository. */
export interface GitRepoVolumeSource {
  /** The directory for the clone, without `..`. With `.`, the volume itself is the clone. */
  directory?: string;
  /** The URL of the repository. */
  repository: string;
  /** The commit to check out. */
  revision?: string;
}

/** A volume of GlusterFS behind a PersistentVolume. */
export interface GlusterfsPersistentVolumeSource {
  /** The name of the Endpoints object with the addresses of the servers. */
  endpoints: string;
  /** The namespace of the Endpoints object. Without it, that of the claim which uses the volume. */
  endpointsNamespace?: string;
  /** The name of the volume at GlusterFS. */
  path: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
}

/** A volume of GlusterFS. */
export interface GlusterfsVolumeSource {
  /** The name of the Endpoints object with the addresses of the servers. */
  endpoints: string;
  /** The name of the volume at GlusterFS. */
  path: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
}

/** An HTTP GET request. */
export interface HTTPGetAction {
  /**
   * The host to connect to, which is the pod's own address if none is given. For another `Host` header, use
   * `httpHeaders`.
   */
  host?: string;
  /** Headers that are added to the request. One header may be given several times. */
  httpHeaders?: HTTPHeader[];
  /**
   * The path of the request, possibly with a query.
   * @default "/"
   */
  path?: string;
  /** The port of the container, as a number or by name. */
  port: IntOrString;
  /**
   * The protocol of the request.
   * - `HTTP`: Without encryption.
   * - `HTTPS`: With TLS, without a check of the certificate.
   * @default "HTTP"
   */
  scheme?: 'HTTP' | 'HTTPS';
}

/** A header of an HTTP request. */
export interface HTTPHeader {
  /** The name of the header, regardless of case. */
  name: string;
  /** The value of the header. */
  value: string;
}

/** Host names for an IP address in the file `/etc/hosts` of a pod. */
export interface HostAlias {
  /** The names that stand for the address. */
  hostnames?: string[];
  /** The IP address that the names resolve to. */
  ip: string;
}

/** An IP address of a pod's node. */
export interface HostIP {
  /** An IPv4 or IPv6 address of the node. */
  ip: string;
}

/** A file or directory of the node. */
export interface HostPathVolumeSource {
  /** The path on the node, without `..`. A symbolic link is followed. */
  path: string;
  /**
   * Says what must be at the path before it is mounted.
   * - ``: Nothing is checked.
   * - `BlockDevice`: A block device.
   * - `CharDevice`: A character device.
   * - `Directory`: A directory.
   * - `DirectoryOrCreate`: A directory, or an empty one is made.
   * - `File`: A file.
   * - `FileOrCreate`: A file, or an empty one is made.
   * - `Socket`: A UNIX socket.
   * @default ""
   */
  type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket';
}

/** An iSCSI disk behind a PersistentVolume. */
export interface ISCSIPersistentVolumeSource {
  /** Whether the discovery of targets authenticates by CHAP. */
  chapAuthDiscovery?: boolean;
  /** Whether the session authenticates by CHAP. */
  chapAuthSession?: boolean;
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The name of the initiator, in place of the node's own. A new interface is made for it. */
  initiatorName?: string;
  /** The qualified name of the target, as `iqn.2001-04.com.example:disk1`. */
  iqn: string;
  /**
   * The interface of the initiator, which stands for the transport.
   * @default "default"
   */
  iscsiInterface?: string;
  /** The logical unit number at the target. */
  lun: number;
  /** Further portals of the target, each a host with an optional port. */
  portals?: string[];
  /** Whether the disk is mounted read-only. */
  readOnly?: boolean;
  /** The Secret with the CHAP credentials. */
  secretRef?: SecretReference;
  /** The portal of the target, a host with an optional port. Without a port, 3260 is used. */
  targetPortal: string;
}

/** An iSCSI disk that is attached to the node. */
export interface ISCSIVolumeSource {
  /** Whether the discovery of targets authenticates by CHAP. */
  chapAuthDiscovery?: boolean;
  /** Whether the session authenticates by CHAP. */
  chapAuthSession?: boolean;
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The name of the initiator, in place of the node's own. A new interface is made for it. */
  initiatorName?: string;
  /** The qualified name of the target, as `iqn.2001-04.com.example:disk1`. */
  iqn: string;
  /**
   * The interface of the initiator, which stands for the transport.
   * @default "default"
   */
  iscsiInterface?: string;
  /** The logical unit number at the target. */
  lun: number;
  /** Further portals of the target, each a host with an optional port. */
  portals?: string[];
  /** Whether the disk is mounted read-only. */
  readOnly?: boolean;
  /** A Secret in the pod's namespace with the CHAP credentials. */
  secretRef?: LocalObjectReference;
  /** The portal of the target, a host with an optional port. Without a port, 3260 is used. */
  targetPortal: string;
}

/** The contents of an OCI image or artifact as a read-only directory. */
export interface ImageVolumeSource {
  /**
   * When the node pulls the image. Without it, a reference with the tag `latest`, or with neither a tag nor a digest,
   * gets `Always`, any other `IfNotPresent`.
   * - `Always`: At every start of the pod; it fails if the pull does.
   * - `IfNotPresent`: If the node does not have it yet.
   * - `Never`: Not at all; the node must have it.
   */
  pullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** The image, as `registry.example.com/team/model:1`. It may only be empty in templates whose controller fills it in. */
  reference?: string;
}

/** The image that a volume was made of. */
export interface ImageVolumeStatus {
  /** The digest by which the exact contents of the image are known. */
  imageRef: string;
}

/** A key and the file that it becomes. */
export interface KeyToPath {
  /** The key whose value the file gets. */
  key: string;
  /** The permission bits of the file, in place of the volume's `defaultMode`. */
  mode?: number;
  /** The path of the file in the volume, relative and without `..`. */
  path: string;
}

/** Says what happens when a container starts and before it stops. */
export interface Lifecycle {
  /**
   * Says what is done right after the container was created. If it fails, the container is killed, and its restart
   * policy decides what follows.
   */
  postStart?: LifecycleHandler;
  /**
   * Says what is done before the container is told to stop. The pod's grace period runs meanwhile; a container that
   * ends by itself does not get it.
   */
  preStop?: LifecycleHandler;
  /**
   * The signal that asks the container to stop, instead of the one that the image names. It needs `spec.os.name` and a
   * feature that is not enabled by default.
   * - `SIGABRT`: Abort, with a core dump.
   * - `SIGALRM`: A real-time timer ran out.
   * - `SIGBUS`: A bad memory access.
   * - `SIGCHLD`: A child process changed its state.
   * - `SIGCLD`: Another name of `SIGCHLD`.
   * - `SIGCONT`: Go on after a stop.
   * - `SIGFPE`: An arithmetic error.
   * - `SIGHUP`: The terminal hung up; often a request to reload.
   * - `SIGILL`: An illegal instruction.
   * - `SIGINT`: An interrupt from the keyboard.
   * - `SIGIO`: Input or output is possible.
   * - `SIGIOT`: Another name of `SIGABRT`.
   * - `SIGKILL`: End at once; it cannot be caught.
   * - `SIGPIPE`: A write to a pipe without a reader.
   * - `SIGPOLL`: Another name of `SIGIO`.
   * - `SIGPROF`: A profiling timer ran out.
   * - `SIGPWR`: A power failure.
   * - `SIGQUIT`: Quit, with a core dump.
   * - `SIGRTMIN`: The lowest real-time signal.
   * - `SIGRTMIN+1`: A real-time signal, the lowest plus 1.
   * - `SIGRTMIN+2`: A real-time signal, the lowest plus 2.
   * - `SIGRTMIN+3`: A real-time signal, the lowest plus 3.
   * - `SIGRTMIN+4`: A real-time signal, the lowest plus 4.
   * - `SIGRTMIN+5`: A real-time signal, the lowest plus 5.
   * - `SIGRTMIN+6`: A real-time signal, the lowest plus 6.
   * - `SIGRTMIN+7`: A real-time signal, the lowest plus 7.
   * - `SIGRTMIN+8`: A real-time signal, the lowest plus 8.
   * - `SIGRTMIN+9`: A real-time signal, the lowest plus 9.
   * - `SIGRTMIN+10`: A real-time signal, the lowest plus 10.
   * - `SIGRTMIN+11`: A real-time signal, the lowest plus 11.
   * - `SIGRTMIN+12`: A real-time signal, the lowest plus 12.
   * - `SIGRTMIN+13`: A real-time signal, the lowest plus 13.
   * - `SIGRTMIN+14`: A real-time signal, the lowest plus 14.
   * - `SIGRTMIN+15`: A real-time signal, the lowest plus 15.
   * - `SIGRTMAX`: The highest real-time signal.
   * - `SIGRTMAX-1`: A real-time signal, the highest minus 1.
   * - `SIGRTMAX-2`: A real-time signal, the highest minus 2.
   * - `SIGRTMAX-3`: A real-time signal, the highest minus 3.
   * - `SIGRTMAX-4`: A real-time signal, the highest minus 4.
   * - `SIGRTMAX-5`: A real-time signal, the highest minus 5.
   * - `SIGRTMAX-6`: A real-time signal, the highest minus 6.
   * - `SIGRTMAX-7`: A real-time signal, the highest minus 7.
   * - `SIGRTMAX-8`: A real-time signal, the highest minus 8.
   * - `SIGRTMAX-9`: A real-time signal, the highest minus 9.
   * - `SIGRTMAX-10`: A real-time signal, the highest minus 10.
   * - `SIGRTMAX-11`: A real-time signal, the highest minus 11.
   * - `SIGRTMAX-12`: A real-time signal, the highest minus 12.
   * - `SIGRTMAX-13`: A real-time signal, the highest minus 13.
   * - `SIGRTMAX-14`: A real-time signal, the highest minus 14.
   * - `SIGSEGV`: An access to memory that is not there.
   * - `SIGSTKFLT`: A stack fault of the coprocessor.
   * - `SIGSTOP`: Stop for now; it cannot be caught.
   * - `SIGSYS`: A bad system call.
   * - `SIGTERM`: A request to end, the usual one.
   * - `SIGTRAP`: A trap of a debugger.
   * - `SIGTSTP`: A stop from the terminal.
   * - `SIGTTIN`: Input from the terminal in the background.
   * - `SIGTTOU`: Output to the terminal in the background.
   * - `SIGURG`: Urgent data on a socket.
   * - `SIGUSR1`: The first signal that programs define for themselves.
   * - `SIGUSR2`: The second signal that programs define for themselves.
   * - `SIGVTALRM`: A timer of processor time ran out.
   * - `SIGWINCH`: The terminal window changed its size.
   * - `SIGXCPU`: The limit of processor time was exceeded.
   * - `SIGXFSZ`: The limit of file size was exceeded.
   */
  stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ';
}

/** Says what is done when a container starts or before it stops. Exactly one of the fields is given. */
export interface LifecycleHandler {
  /** A command in the container. Its failure is the handler's. */
  exec?: ExecAction;
  /** An HTTP request, which fails unless the status is from 200 to 399. */
  httpGet?: HTTPGetAction;
  /** A pause, after which the handler has succeeded. */
  sleep?: SleepAction;
  /**
   * Accepted for compatibility, but a handler of this form fails when it runs.
   * @deprecated Has no use; give another handler instead.
   */
  tcpSocket?: TCPSocketAction;
}

/** Limits how much each single object of a namespace may use, and fills in what objects leave out. */
export interface LimitRange extends KubernetesObject {
  /** The limits. */
  spec?: LimitRangeSpec;
}
export const LimitRange: ResourceType<LimitRange, 'Namespaced'> = /* @__PURE__ */ resourceType<LimitRange, 'Namespaced'>({ group: '', version: 'v1', kind: 'LimitRange', plural: 'limitranges', scope: 'Namespaced', shortNames: ['limits'] });

/** The limits for objects of one type. */
export interface LimitRangeItem {
  /**
   * The limits that containers get if they have none. For type `Container`, the server fills in `max` where nothing is
   * given.
   */
  default?: Record<string, Quantity>;
  /**
   * The requests that containers get if they have none. For type `Container`, the server fills in `default`, or else
   * `min`, where nothing is given.
   */
  defaultRequest?: Record<string, Quantity>;
  /** The most that an object may use of each resource. */
  max?: Record<string, Quantity>;
  /** By how many times a limit may exceed the request of the same resource. */
  maxLimitRequestRatio?: Record<string, Quantity>;
  /** The least that an object must ask for of each resource. */
  min?: Record<string, Quantity>;
  /** The type of the objects, one of `Container`, `Pod` and `PersistentVolumeClaim`, or a qualified name. */
  type: string;
}

/** A list of LimitRanges. */
export type LimitRangeList = KubernetesList<LimitRange>;

/** The limits for single objects of a namespace. */
export interface LimitRangeSpec {
  /** The limits, at most one entry for each type. */
  limits: LimitRangeItem[];
}

/** The user and groups that a Linux container's first process started with. */
export interface LinuxContainerUser {
  /** The ID of the main group. */
  gid: number;
  /** The IDs of further groups. */
  supplementalGroups?: number[];
  /** The ID of the user. */
  uid: number;
}

/** An address of a load balancer, by IP or by name. */
export interface LoadBalancerIngress {
  /** The DNS name of the load balancer, if it is reached by name. */
  hostname?: string;
  /** The IP address of the load balancer, if it is reached by address. */
  ip?: string;
  /**
   * How traffic arrives at nodes, either `VIP` with the load balancer's address as destination or `Proxy` with the
   * node's. It needs `ip`; the server sets it for type `LoadBalancer`.
   * @default "VIP"
   */
  ipMode?: string;
  /** The state of each port. If it is given, it lists all ports of the service. */
  ports?: PortStatus[];
}

/** Where a load balancer is reached. */
export interface LoadBalancerStatus {
  /** The addresses of the load balancer. */
  ingress?: LoadBalancerIngress[];
}

/** An object in the same namespace, whose kind follows from the field. */
export interface LocalObjectReference {
  /** The name of the object. */
  name?: string;
}

/** A disk or directory of one node. */
export interface LocalVolumeSource {
  /** The file system to mount if the path is a block device, such as `ext4`. Without it, the node decides. */
  fsType?: string;
  /** The full path of the directory or device on the node, without `..`. */
  path: string;
}

/** How far the change of a volume to another VolumeAttributesClass has come. */
export interface ModifyVolumeStatus {
  /**
   * The state of the change.
   * - `Pending`: It waits, because the class does not exist, for example.
   * - `InProgress`: The driver works on it.
   * - `Infeasible`: The driver refused it; another class must be given.
   */
  status: 'InProgress' | 'Infeasible' | 'Pending';
  /** The class that the volume is changed to. */
  targetVolumeAttributesClassName?: string;
}

/** A directory that an NFS server exports. */
export interface NFSVolumeSource {
  /** The exported path on the server. */
  path: string;
  /** Whether the export is mounted read-only. */
  readOnly?: boolean;
  /** The host name or IP address of the server. */
  server: string;
}

/** A scope in which names of objects are unique and to which access and quotas apply. */
export interface Namespace extends KubernetesObject {
  /** Says what must happen before the namespace can be removed. */
  spec?: NamespaceSpec;
  /** Whether the namespace is in use or being deleted. */
  status?: NamespaceStatus;
}
export const Namespace: ResourceType<Namespace, 'Cluster'> = /* @__PURE__ */ resourceType<Namespace, 'Cluster'>({ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster', shortNames: ['ns'] });

/** An observation about the deletion of a namespace. */
export interface NamespaceCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `NamespaceContentRemaining`. */
  type: string;
}

/** A list of Namespaces. */
export type NamespaceList = KubernetesList<Namespace>;

/** Says what must happen before a namespace can be removed. */
export interface NamespaceSpec {
  /**
   * Names of work that must be done before the namespace is removed. The server adds `kubernetes`, which the namespace
   * controller removes through the subresource `finalize` once the namespace is empty.
   */
  finalizers?: string[];
}

/** Whether a namespace is in use or being deleted. */
export interface NamespaceStatus {
  /** Says what stands in the way of the namespace's deletion. */
  conditions?: NamespaceCondition[];
  /**
   * The phase of the namespace's life cycle.
   * - `Active`: In use.
   * - `Terminating`: Its objects are being deleted, and no new ones are accepted.
   * @default "Active"
   */
  phase?: 'Active' | 'Terminating';
}

/** A machine that runs pods. */
export interface Node extends KubernetesObject {
  /** The desired state of the node, such as its taints and whether it accepts pods. */
  spec?: NodeSpec;
  /** Says what the kubelet reports about the node. */
  status?: NodeStatus;
}
export const Node: ResourceType<Node, 'Cluster'> = /* @__PURE__ */ resourceType<Node, 'Cluster'>({ group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster', shortNames: ['no'] });

/** An address of a node. */
export interface NodeAddress {
  /** The IP address or name. */
  address: string;
  /** The sort of address, one of `Hostname`, `InternalIP`, `ExternalIP`, `InternalDNS` and `ExternalDNS`. */
  type: string;
}

/** Which nodes a pod needs or prefers. */
export interface NodeAffinity {
  /** Preferences, each with a weight. The scheduler adds up the weights of those that a node fulfils. */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  /** Says what a node must fulfil at scheduling. A pod stays on its node if the node stops fulfilling it later. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
}

/** Ordinary node resources that a pod uses through a ResourceClaim. */
export interface NodeAllocatableResourceClaimStatus {
  /** The names of the containers that use the claim. */
  containers?: string[];
  /** The name of the ResourceClaim. */
  resourceClaimName: string;
  /** The amounts that are counted against the node, by resource name. */
  resources: Record<string, Quantity>;
}

/** An observation about the state of a node. */
export interface NodeCondition {
  /** When the kubelet last reported the condition. */
  lastHeartbeatTime?: Time | null;
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `Ready`. */
  type: string;
}

/** Where a kubelet found its configuration. It has no effect any more. */
export interface NodeConfigSource {
  /** The ConfigMap with the configuration. */
  configMap?: ConfigMapNodeConfigSource;
}

/** How a kubelet took up its configuration. It has no effect any more. */
export interface NodeConfigStatus {
  /** The configuration that the kubelet uses. */
  active?: NodeConfigSource;
  /** The configuration that the kubelet is to use after its next start. */
  assigned?: NodeConfigSource;
  /** Says what went wrong with the assigned configuration. */
  error?: string;
  /** The configuration to which the kubelet goes back after an error. */
  lastKnownGood?: NodeConfigSource;
}

/** Ports of the daemons on a node. */
export interface NodeDaemonEndpoints {
  /** The port at which the kubelet listens. */
  kubeletEndpoint?: DaemonEndpoint;
}

/** Features of a node's container runtime. */
export interface NodeFeatures {
  /** Whether the runtime supports `supplementalGroupsPolicy` of pods and reports the users of containers. */
  supplementalGroupsPolicy?: boolean;
}

/** A list of Nodes. */
export type NodeList = KubernetesList<Node>;

/** A handler that a container runtime offers. */
export interface NodeRuntimeHandler {
  /** Says what the handler supports. */
  features?: NodeRuntimeHandlerFeatures;
  /** The name of the handler, empty for the usual one. */
  name?: string;
}

/** Says what a handler of a container runtime supports. */
export interface NodeRuntimeHandlerFeatures {
  /** Whether the handler supports mounts that are read-only with everything below them. */
  recursiveReadOnlyMounts?: boolean;
  /** Whether the handler supports user namespaces, for pods with `hostUsers` set to `false`. */
  userNamespaces?: boolean;
}

/** Selects nodes that fulfil at least one of several terms. */
export interface NodeSelector {
  /** The terms, at least one. A node needs to fulfil only one of them. */
  nodeSelectorTerms: NodeSelectorTerm[];
}

/** Says what is required of one label or field of a node. */
export interface NodeSelectorRequirement {
  /** The key of the label, or the path of the field. */
  key: string;
  /**
   * How the value is compared.
   * - `In`: Is one of `values`.
   * - `NotIn`: Is none of `values`, or is absent.
   * - `Exists`: Is there, with any value.
   * - `DoesNotExist`: Is not there.
   * - `Gt`: Is a whole number above that in `values`.
   * - `Lt`: Is a whole number below that in `values`.
   */
  operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn';
  /**
   * The values to compare with. `In` and `NotIn` need at least one, `Gt` and `Lt` exactly one whole number, the others
   * none.
   */
  values?: string[];
}

/** Requirements that a node must fulfil together. A term without any matches no node. */
export interface NodeSelectorTerm {
  /** Requirements about the node's labels. */
  matchExpressions?: NodeSelectorRequirement[];
  /** Requirements about the node's fields. The only field is `metadata.name`, with `In` or `NotIn` and one value. */
  matchFields?: NodeSelectorRequirement[];
}

/** The desired state of a node. */
export interface NodeSpec {
  /**
   * Where the kubelet found its configuration. The server drops it from new nodes.
   * @deprecated Removed in Kubernetes 1.26.
   */
  configSource?: NodeConfigSource;
  /**
   * An ID that the cloud provider gave to the node.
   * @deprecated Not set since Kubernetes 1.13; see `providerID`.
   */
  externalID?: string;
  /** The first network from which pods of the node get addresses. It cannot be changed once it is set. */
  podCIDR?: string;
  /**
   * The networks from which pods of the node get addresses, at most one of each family, with `podCIDR` first. They
   * cannot be changed once they are set.
   */
  podCIDRs?: string[];
  /** The ID of the node at its cloud provider, as `PROVIDER://ID`. It cannot be changed once it is set. */
  providerID?: string;
  /** Marks that keep pods away unless they tolerate them. Each pair of key and effect occurs once. */
  taints?: Taint[];
  /** Whether new pods are kept off the node, as `kubectl cordon` does. */
  unschedulable?: boolean;
}

/** The observed state of a node. */
export interface NodeStatus {
  /** Addresses at which the node is reached, each with its type. */
  addresses?: NodeAddress[];
  /** The resources that pods can use. The server sets it to `capacity` if it is absent. */
  allocatable?: Record<string, Quantity>;
  /** The resources that the node has in all. */
  capacity?: Record<string, Quantity>;
  /** Observations such as `Ready`, `MemoryPressure`, `DiskPressure` and `PIDPressure`. */
  conditions?: NodeCondition[];
  /**
   * How the kubelet took up its configuration from `spec.configSource`. The server drops it from new nodes.
   * @deprecated Removed in Kubernetes 1.26.
   */
  config?: NodeConfigStatus;
  /** Ports of the daemons on the node. */
  daemonEndpoints?: NodeDaemonEndpoints;
  /** Names of kubelet features that the node has, by which the scheduler chooses nodes for pods that need them. */
  declaredFeatures?: string[];
  /** Features of the node's container runtime. */
  features?: NodeFeatures;
  /** Images that the node has, largest first and limited in number. */
  images?: ContainerImage[];
  /** Versions and identifiers of the node's hardware and software. */
  nodeInfo?: NodeSystemInfo;
  /**
   * The phase of the node's life cycle.
   * - `Pending`: The node is known, but not set up.
   * - `Running`: The node is set up and runs.
   * - `Terminated`: The node was removed.
   * @deprecated Not set any more; see `conditions`.
   */
  phase?: 'Pending' | 'Running' | 'Terminated';
  /** Handlers that the container runtime of the node offers, to which RuntimeClasses refer. */
  runtimeHandlers?: NodeRuntimeHandler[];
  /** Volumes that are attached to the node, as the attach and detach controller reports. */
  volumesAttached?: AttachedVolume[];
  /** Volumes that the node uses and that must not be detached, as the kubelet reports. */
  volumesInUse?: string[];
}

/** The swap space of a node. */
export interface NodeSwapStatus {
  /** The size of the swap space in bytes. */
  capacity?: number;
}

/** Versions and identifiers of a node's hardware and software. */
export interface NodeSystemInfo {
  /** The processor architecture, such as `amd64`. */
  architecture: string;
  /** An ID that changes with every start of the node. */
  bootID: string;
  /** The container runtime and its version, as `containerd://2.1.0`. */
  containerRuntimeVersion: string;
  /** The version of the kernel, as `uname -r` gives it. */
  kernelVersion: string;
  /**
   * The version of kube-proxy on the node.
   * @deprecated Not set any more, because the kubelet cannot know it.
   */
  kubeProxyVersion: string;
  /** The version of the kubelet. */
  kubeletVersion: string;
  /** The ID that the operating system gives to the machine, on Linux from `/etc/machine-id`. */
  machineID: string;
  /** The operating system, such as `linux`. */
  operatingSystem: string;
  /** The name of the operating system's release, as from `/etc/os-release`. */
  osImage: string;
  /** How much swap space the node has. */
  swap?: NodeSwapStatus;
  /** The ID that the hardware, or the virtual machine's host, gives to the machine. */
  systemUUID: string;
}

/** A field of the pod itself. */
export interface ObjectFieldSelector {
  /**
   * The version of the schema in which `fieldPath` is written.
   * @default "v1"
   */
  apiVersion?: string;
  /** The path of the field, such as `metadata.name`, `metadata.labels['app']`, `spec.nodeName` or `status.podIP`. */
  fieldPath: string;
}

/** An object, or a part of one. Which fields are set depends on where the reference stands. */
export interface ObjectReference {
  /** The group and version of the object's kind. */
  apiVersion?: string;
  /** The part of the object that is meant, such as `spec.containers{web}`. */
  fieldPath?: string;
  /** The kind of the object. */
  kind?: string;
  /** The name of the object. */
  name?: string;
  /** The namespace of the object, empty for objects of cluster scope. */
  namespace?: string;
  /** The version of the object that is meant. */
  resourceVersion?: string;
  /** The UID of the object, which tells it from others of the same name. */
  uid?: string;
}

/** A piece of storage in the cluster, which lives longer than the pods that use it. */
export interface PersistentVolume extends KubernetesObject {
  /** Where the storage is and how it can be used. */
  spec?: PersistentVolumeSpec;
  /** Whether the volume is bound to a claim. */
  status?: PersistentVolumeStatus;
}
export const PersistentVolume: ResourceType<PersistentVolume, 'Cluster'> = /* @__PURE__ */ resourceType<PersistentVolume, 'Cluster'>({ group: '', version: 'v1', kind: 'PersistentVolume', plural: 'persistentvolumes', scope: 'Cluster', shortNames: ['pv'] });

/** A request for storage, which is bound to a PersistentVolume. */
export interface PersistentVolumeClaim extends KubernetesObject {
  /**
   * The storage that is wanted. After creation only `volumeName`, if it is empty, and for bound claims
   * `resources.requests` and `volumeAttributesClassName` can change.
   */
  spec?: PersistentVolumeClaimSpec;
  /** The volume that the claim is bound to, and how far changes of it have come. */
  status?: PersistentVolumeClaimStatus;
}
export const PersistentVolumeClaim: ResourceType<PersistentVolumeClaim, 'Namespaced'> = /* @__PURE__ */ resourceType<PersistentVolumeClaim, 'Namespaced'>({ group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', scope: 'Namespaced', shortNames: ['pvc'] });

/** An observation about the state of a claim. */
export interface PersistentVolumeClaimCondition {
  /** When the condition was last looked at. */
  lastProbeTime?: Time | null;
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `Resizing`. */
  type: string;
}

/** A list of PersistentVolumeClaims. */
export type PersistentVolumeClaimList = KubernetesList<PersistentVolumeClaim>;

/** The storage that a claim wants. */
export interface PersistentVolumeClaimSpec {
  /**
   * The ways in which the volume must be mountable, at least one. They are `ReadWriteOnce`, `ReadOnlyMany`,
   * `ReadWriteMany` and, alone, `ReadWriteOncePod`. It cannot change after creation.
   */
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  /**
   * A VolumeSnapshot or PersistentVolumeClaim in the namespace whose contents the new volume gets. The server keeps it
   * equal to `dataSourceRef`, unless that names a namespace. It cannot change after creation.
   */
  dataSource?: TypedLocalObjectReference;
  /**
   * An object from which the new volume gets its contents, of any kind for which there is a populator. References to
   * other namespaces need a feature that is not enabled by default. It cannot change after creation.
   */
  dataSourceRef?: TypedObjectReference;
  /**
   * The size that is wanted, under `requests.storage`. It may grow if the StorageClass allows expansion; after a
   * failed expansion it may be lowered to a size above the actual one.
   */
  resources?: VolumeResourceRequirements;
  /**
   * Selects volumes that may be bound, by labels. Volumes are not provisioned for a claim that has it. It cannot
   * change after creation.
   */
  selector?: LabelSelector;
  /**
   * The StorageClass that is wanted, or an empty text for volumes without a class. If it is absent, the default class
   * is set, possibly later; once set, it does not change.
   */
  storageClassName?: string;
  /**
   * The VolumeAttributesClass whose settings the volume should have. It can change while the claim exists, which
   * changes the volume.
   */
  volumeAttributesClassName?: string;
  /**
   * Says what containers see of the volume. It cannot change after creation.
   * - `Block`: A raw block device.
   * - `Filesystem`: A directory with a file system.
   * @default "Filesystem"
   */
  volumeMode?: 'Block' | 'Filesystem';
  /** The PersistentVolume that the claim is bound to, or is to be bound to. It does not change once it is set. */
  volumeName?: string;
}

/** The volume that a claim is bound to, and how far changes of it have come. */
export interface PersistentVolumeClaimStatus {
  /** The ways in which the bound volume can be mounted. */
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  /**
   * How far a resize has come for each resource, such as `ControllerResizeInProgress` or `NodeResizePending`.
   * Resources without a resize are not listed.
   */
  allocatedResourceStatuses?: Record<string, 'ControllerResizeInProgress' | 'ControllerResizeInfeasible' | 'NodeResizeInProgress' | 'NodeResizeInfeasible' | 'NodeResizePending'>;
  /** The sizes to which a resize is under way. Quotas count the larger of these and the requested ones. */
  allocatedResources?: Record<string, Quantity>;
  /** The actual size of the bound volume. */
  capacity?: Record<string, Quantity>;
  /** Observations about the claim, such as `Resizing` and `FileSystemResizePending`. */
  conditions?: PersistentVolumeClaimCondition[];
  /** The VolumeAttributesClass whose settings the volume has. It is absent if it has none. */
  currentVolumeAttributesClassName?: string;
  /** How far a change to another VolumeAttributesClass has come. It is absent if none is under way. */
  modifyVolumeStatus?: ModifyVolumeStatus;
  /**
   * Whether the claim is bound.
   * - `Pending`: Not bound yet.
   * - `Bound`: Bound to a volume.
   * - `Lost`: Its volume is gone, and with it the data.
   * @default "Pending"
   */
  phase?: 'Bound' | 'Lost' | 'Pending';
}

/** A PersistentVolumeClaim that is made for a pod. */
export interface PersistentVolumeClaimTemplate {
  /** The labels and annotations that the claim gets. Other fields are not allowed. */
  metadata?: ObjectMeta;
  /** The `spec` that the claim gets. */
  spec: PersistentVolumeClaimSpec;
}

/** The volume that a PersistentVolumeClaim is bound to. */
export interface PersistentVolumeClaimVolumeSource {
  /** The name of the PersistentVolumeClaim in the pod's namespace. */
  claimName: string;
  /** Whether all mounts of the volume are read-only. */
  readOnly?: boolean;
}

/** A list of PersistentVolumes. */
export type PersistentVolumeList = KubernetesList<PersistentVolume>;

/** Where a volume's storage is and how it can be used. Exactly one source is given, and it does not change. */
export interface PersistentVolumeSpec {
  /**
   * The ways in which the volume can be mounted, at least one. They are `ReadWriteOnce`, `ReadOnlyMany`,
   * `ReadWriteMany` and, alone, `ReadWriteOncePod`.
   */
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  /**
   * A disk of AWS Elastic Block Store. The CSI driver `ebs.csi.aws.com` serves it. It cannot change after creation.
   * @deprecated Use `csi` instead.
   */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**
   * A data disk of Azure. The CSI driver `disk.csi.azure.com` serves it. It cannot change after creation.
   * @deprecated Use `csi` instead.
   */
  azureDisk?: AzureDiskVolumeSource;
  /**
   * A file share of Azure. The CSI driver `file.csi.azure.com` serves it. It cannot change after creation.
   * @deprecated Use `csi` instead.
   */
  azureFile?: AzureFilePersistentVolumeSource;
  /** The size of the volume, under the key `storage`. */
  capacity?: Record<string, Quantity>;
  /**
   * A directory of CephFS. No node can mount it any more. It cannot change after creation.
   * @deprecated Removed in Kubernetes 1.31; use `csi` instead.
   */
  cephfs?: CephFSPersistentVolumeSource;
  /**
   * A volume of OpenStack Cinder. The CSI driver `cinder.csi.openstack.org` serves it. It cannot change after
   * creation.
   * @deprecated Use `csi` instead.
   */
  cinder?: CinderPersistentVolumeSource;
  /** The PersistentVolumeClaim that the volume is bound to. The binding holds once the claim names the volume as well. */
  claimRef?: ObjectReference;
  /** A volume of a CSI driver. A secret for expansion may be added later. It cannot change after creation. */
  csi?: CSIPersistentVolumeSource;
  /** A Fibre Channel disk that is attached to the node. It cannot change after creation. */
  fc?: FCVolumeSource;
  /**
   * A volume that a program on the node mounts. It cannot change after creation.
   * @deprecated Use `csi` instead.
   */
  flexVolume?: FlexPersistentVolumeSource;
  /**
   * A dataset of Flocker. No node can mount it any more. It cannot change after creation.
   * @deprecated Removed in Kubernetes 1.25.
   */
  flocker?: FlockerVolumeSource;
  /**
   * A persistent disk of Google Compute Engine. The CSI driver `pd.csi.storage.gke.io` serves it. It cannot change
   * after creation.
   * @deprecated Use `csi` instead.
   */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**
   * A volume of GlusterFS. No node can mount it any more. It cannot change after creation.
   * @deprecated Removed in Kubernetes 1.26.
   */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /** A file or directory of a node. It is for tests on clusters of one node. It cannot change after creation. */
  hostPath?: HostPathVolumeSource;
  /** An iSCSI disk that is attached to the node. It cannot change after creation. */
  iscsi?: ISCSIPersistentVolumeSource;
  /** A disk or directory of one node. It needs `nodeAffinity`. It cannot change after creation. */
  local?: LocalVolumeSource;
  /** Options for mounting, such as `ro` or `soft`. They are not checked; a mount with a wrong one fails. */
  mountOptions?: string[];
  /** A directory that an NFS server exports. It cannot change after creation. */
  nfs?: NFSVolumeSource;
  /**
   * Which nodes can reach the volume. The scheduler places pods that use it there; once set, it does not change but
   * for renamed labels.
   */
  nodeAffinity?: VolumeNodeAffinity;
  /**
   * Says what happens to the volume when its claim is deleted. A provisioner takes it from the StorageClass.
   * - `Delete`: The volume and its storage are deleted.
   * - `Recycle`: The files are removed and the volume is free again; deprecated.
   * - `Retain`: The volume stays for an administrator.
   * @default "Retain"
   */
  persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain';
  /**
   * A disk of VMware Photon. No node can mount it any more. It cannot change after creation.
   * @deprecated Its platform no longer exists.
   */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**
   * A volume of Portworx. The CSI driver `pxd.portworx.com` serves it. It cannot change after creation.
   * @deprecated Use `csi` instead.
   */
  portworxVolume?: PortworxVolumeSource;
  /**
   * A volume of Quobyte. No node can mount it any more. It cannot change after creation.
   * @deprecated Removed in Kubernetes 1.25.
   */
  quobyte?: QuobyteVolumeSource;
  /**
   * A block device of Ceph. No node can mount it any more. It cannot change after creation.
   * @deprecated Removed in Kubernetes 1.31; use `csi` instead.
   */
  rbd?: RBDPersistentVolumeSource;
  /**
   * A volume of ScaleIO. No node can mount it any more. It cannot change after creation.
   * @deprecated Removed in Kubernetes 1.22.
   */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /**
   * The StorageClass that the volume belongs to. Only claims of the same class are bound to it; if it is empty, only
   * claims without a class are.
   */
  storageClassName?: string;
  /**
   * A volume of StorageOS. No node can mount it any more. It cannot change after creation.
   * @deprecated Removed in Kubernetes 1.25.
   */
  storageos?: StorageOSPersistentVolumeSource;
  /**
   * The VolumeAttributesClass whose settings the volume has. It is for CSI volumes, and it cannot be removed once it
   * is set.
   */
  volumeAttributesClassName?: string;
  /**
   * Says what containers see of the volume. It cannot change after creation.
   * - `Block`: A raw block device.
   * - `Filesystem`: A directory with a file system.
   * @default "Filesystem"
   */
  volumeMode?: 'Block' | 'Filesystem';
  /**
   * A disk of vSphere. The CSI driver `csi.vsphere.vmware.com` serves it. It cannot change after creation.
   * @deprecated Use `csi` instead.
   */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** Whether a volume is bound to a claim. */
export interface PersistentVolumeStatus {
  /** When `phase` last changed. The server sets it. */
  lastPhaseTransitionTime?: Time;
  /** An explanation for people of why the volume is in this phase. */
  message?: string;
  /**
   * The phase of the volume's life cycle.
   * - `Pending`: Not available yet.
   * - `Available`: Free to be bound to a claim.
   * - `Bound`: Bound to a claim.
   * - `Released`: Its claim is gone, and it is not reclaimed yet.
   * - `Failed`: Its reclaiming failed.
   * @default "Pending"
   */
  phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released';
  /** A CamelCase word for a failure, for use by tools. */
  reason?: string;
}

/** A disk of VMware Photon. */
export interface PhotonPersistentDiskVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The ID of the disk at Photon. */
  pdID: string;
}

/** One or more containers that run together on one node and share one network address and their volumes. */
export interface Pod extends KubernetesObject {
  /**
   * Says what the pod should run and where. After creation only images, `activeDeadlineSeconds`, additional
   * tolerations, the removal of scheduling gates and a few fields through subresources can change.
   */
  spec?: PodSpec;
  /** How the pod is doing, as reported mostly by the kubelet of its node. */
  status?: PodStatus;
}
export const Pod: ResourceType<Pod, 'Namespaced'> = /* @__PURE__ */ resourceType<Pod, 'Namespaced'>({ group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced', shortNames: ['po'], categories: ['all'] });

/** Which pods a pod needs or prefers to have near it. */
export interface PodAffinity {
  /** Preferences, each with a weight. Nodes near the wanted pods get the weight added. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  /** Terms that all must be fulfilled at scheduling. A pod stays on its node if they stop being fulfilled later. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** Pods of some sort, and the domain in which they count as near. */
export interface PodAffinityTerm {
  /** Selects the other pods by their labels. Without it, no pod is selected. */
  labelSelector?: LabelSelector;
  /**
   * Label keys whose values the other pods must share with the pod itself. At creation they are merged into
   * `labelSelector`; keys that the pod lacks are ignored.
   */
  matchLabelKeys?: string[];
  /**
   * Label keys whose values the other pods must not share with the pod itself. At creation they are merged into
   * `labelSelector`; keys that the pod lacks are ignored.
   */
  mismatchLabelKeys?: string[];
  /**
   * Selects namespaces of the other pods by labels, in addition to `namespaces`. An empty selector means all
   * namespaces.
   */
  namespaceSelector?: LabelSelector;
  /**
   * Names of the namespaces of the other pods. Without it and without `namespaceSelector`, the pod's own namespace is
   * meant.
   */
  namespaces?: string[];
  /** The key of the node label that defines a domain. Nodes with the same value are near each other. */
  topologyKey: string;
}

/** Which pods a pod needs or prefers to keep away from. */
export interface PodAntiAffinity {
  /** Preferences, each with a weight. Nodes near the unwanted pods get the weight subtracted. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  /** Terms, none of which may find a pod at scheduling. A pod stays on its node if one does later. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** Files with a private key and a certificate that a signer issues to the pod. */
export interface PodCertificateProjection {
  /**
   * The path of the file with the certificate chain alone. Most programs should use `credentialBundlePath`, which is
   * replaced as one.
   */
  certificateChainPath?: string;
  /** The path of the file with the private key followed by the certificate chain, in PEM. */
  credentialBundlePath?: string;
  /** The path of the file with the private key alone. */
  keyPath?: string;
  /**
   * The type of the key that the kubelet makes, one of `RSA3072`, `RSA4096`, `ECDSAP256`, `ECDSAP384`, `ECDSAP521` and
   * `ED25519`.
   */
  keyType: string;
  /**
   * The longest time in seconds for which the certificate may be valid, 3600 to 7862400. Without it, the request gets
   * 86400; the signer may issue less.
   */
  maxExpirationSeconds?: number;
  /** The name of the signer, as `example.com/signer`. */
  signerName: string;
  /** Additional data for the signer, which the kubelet copies into its PodCertificateRequests as they are. */
  userAnnotations?: Record<string, string>;
}

/** An observation about the state of a pod. */
export interface PodCondition {
  /** When the condition was last looked at. */
  lastProbeTime?: Time | null;
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The pod's `metadata.generation` that the condition was derived from. */
  observedGeneration?: number;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `Ready`, or that of a readiness gate. */
  type: string;
}

/** Resolver settings of a pod, which are added to those that follow from `dnsPolicy`. */
export interface PodDNSConfig {
  /** IP addresses of name servers, at most three. They come after those of the policy. */
  nameservers?: string[];
  /** Resolver options. One with the name of an option from the policy replaces it. */
  options?: PodDNSConfigOption[];
  /** Domains to look up short names in, at most 32. They come after those of the policy. */
  searches?: string[];
}

/** One option of the resolver. */
export interface PodDNSConfigOption {
  /** The name of the option, such as `ndots`. */
  name?: string;
  /** The value of the option, if it takes one. */
  value?: string;
}

/** The ResourceClaim through which a pod gets the extended resources that its containers request. */
export interface PodExtendedResourceClaimStatus {
  /** Which request of the claim serves which resource of which container. */
  requestMappings: ContainerExtendedResourceRequest[];
  /** The name of the ResourceClaim, which the scheduler created in the pod's namespace. */
  resourceClaimName: string;
}

/** An IP address of a pod. */
export interface PodIP {
  /** An IPv4 or IPv6 address that the node gave to the pod. */
  ip: string;
}

/** A list of Pods. */
export type PodList = KubernetesList<Pod>;

/** The operating system that a pod is made for. */
export interface PodOS {
  /** The name of the operating system, either `linux` or `windows`. */
  name: string;
}

/** A condition that must be `True` for a pod to be ready. */
export interface PodReadinessGate {
  /** The type of the condition in `status.conditions`. */
  conditionType: string;
}

/** A ResourceClaim that a pod uses, named directly or made from a template. Exactly one of the two is given. */
export interface PodResourceClaim {
  /** The name by which containers of the pod refer to the claim, a DNS label. */
  name: string;
  /** The name of an existing ResourceClaim in the namespace. Several pods can share it. */
  resourceClaimName?: string;
  /**
   * The name of the ResourceClaimTemplate from which a claim of the pod's own is made. That claim is deleted with the
   * pod.
   */
  resourceClaimTemplateName?: string;
}

/** The ResourceClaim that was made for an entry of `spec.resourceClaims`. */
export interface PodResourceClaimStatus {
  /** The name of the entry in `spec.resourceClaims`. */
  name: string;
  /** The name of the ResourceClaim. If it is absent, none was needed. */
  resourceClaimName?: string;
}

/** A reason for which a pod is not scheduled yet. */
export interface PodSchedulingGate {
  /** The name of the gate, unique in the pod and qualified as in `example.com/quota`. */
  name: string;
}

/** The group of pods with which a pod is scheduled. */
export interface PodSchedulingGroup {
  /** The name of the PodGroup in the same namespace. */
  podGroupName?: string;
}

/** Users, groups and profiles for all containers of a pod. What a container sets for itself wins. */
export interface PodSecurityContext {
  /** The AppArmor profile of the containers, on Linux. */
  appArmorProfile?: AppArmorProfile;
  /**
   * A group ID that owns the files of the pod's volumes and that every process in the pod belongs to. It applies to
   * volumes that support it, on Linux.
   */
  fsGroup?: number;
  /**
   * When the group of a volume's files is changed to `fsGroup`. Without it, `Always` applies.
   * - `Always`: Whenever the volume is mounted.
   * - `OnRootMismatch`: Only if the root of the volume has another group or mode.
   */
  fsGroupChangePolicy?: 'Always' | 'OnRootMismatch';
  /** The main group ID of the containers' processes, on Linux. Without it, the runtime decides. */
  runAsGroup?: number;
  /** Whether the kubelet refuses to start containers that would run as user 0. */
  runAsNonRoot?: boolean;
  /** The user ID of the containers' processes, on Linux. Without it, the image decides. */
  runAsUser?: number;
  /**
   * How volumes get the SELinux label of the pod, either `MountOption` at mounting or `Recursive` file by file.
   * Without it, `MountOption` applies where the volume supports it, which by default needs access mode
   * `ReadWriteOncePod`.
   */
  seLinuxChangePolicy?: string;
  /** The SELinux label of the containers, on Linux. Without it, the runtime chooses one at random. */
  seLinuxOptions?: SELinuxOptions;
  /** The seccomp profile of the containers, on Linux. */
  seccompProfile?: SeccompProfile;
  /** Further group IDs of the containers' first processes, on Linux. */
  supplementalGroups?: number[];
  /**
   * Whether groups that the image defines for the user count too. Without it, `Merge` applies.
   * - `Merge`: Groups from the image's `/etc/group` are added.
   * - `Strict`: Only groups that the pod names are used.
   */
  supplementalGroupsPolicy?: 'Merge' | 'Strict';
  /** Kernel settings of the pod, on Linux. A pod with settings that its node does not allow does not start. */
  sysctls?: Sysctl[];
  /** Settings for Windows containers. They are not allowed if `os.name` is `linux`. */
  windowsOptions?: WindowsSecurityContextOptions;
}

/** Says what a pod runs, and what it requires of its node. */
export interface PodSpec {
  /**
   * After how many seconds, counted from `status.startTime`, the pod is stopped and counts as failed. A running pod's
   * value may be set or lowered.
   */
  activeDeadlineSeconds?: number;
  /** Rules about nodes and other pods that the scheduler follows when it chooses a node. */
  affinity?: Affinity;
  /**
   * Whether containers get a token of the service account as a file. Without it, the service account's own setting
   * counts.
   */
  automountServiceAccountToken?: boolean;
  /** The main containers, at least one. They run side by side, and their number does not change. */
  containers: Container[];
  /** Name servers, search domains and resolver options that are added to those of `dnsPolicy`. */
  dnsConfig?: PodDNSConfig;
  /**
   * Where the pod's resolver settings come from.
   * - `ClusterFirst`: The cluster's DNS service; with `hostNetwork` like `Default`.
   * - `ClusterFirstWithHostNet`: The cluster's DNS service, also with `hostNetwork`.
   * - `Default`: The settings of the node.
   * - `None`: Only `dnsConfig`, which must name a server.
   * @default "ClusterFirst"
   */
  dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  /**
   * Whether containers get environment variables with the addresses of the services in the namespace. Templates keep
   * it unset; the pods made from them get it.
   * @default true
   */
  enableServiceLinks?: boolean;
  /**
   * Containers that were added to the running pod for debugging. They are added through the `ephemeralcontainers`
   * subresource only and are never restarted.
   */
  ephemeralContainers?: EphemeralContainer[];
  /** Additional entries for the file `/etc/hosts` of the pod. */
  hostAliases?: HostAlias[];
  /** Whether the pod shares the inter-process communication namespace of its node. */
  hostIPC?: boolean;
  /**
   * Whether the pod uses the network of its node. Its container ports then are ports of the node, and each `hostPort`
   * must equal its `containerPort`.
   */
  hostNetwork?: boolean;
  /** Whether the pod sees and shares the processes of its node. It excludes `shareProcessNamespace`. */
  hostPID?: boolean;
  /**
   * Whether the pod shares the user IDs of its node, as it does unless `false` is given. With `false`, root in the pod
   * is an ordinary user on the node, and `hostNetwork`, `hostPID` and `hostIPC` are not allowed.
   */
  hostUsers?: boolean;
  /** The host name of the pod, a DNS label. Without it, the pod's name is used. */
  hostname?: string;
  /**
   * A host name of up to 64 characters that wins over `hostname` and `subdomain`, but does not change the pod's DNS
   * names. It excludes `hostNetwork` and `setHostnameAsFQDN`.
   */
  hostnameOverride?: string;
  /**
   * Secrets in the namespace with credentials for image registries. Without any, those of the service account are
   * used.
   */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * Containers that run to completion one after another before the main ones start. One whose `restartPolicy` is
   * `Always` keeps running beside them as a sidecar.
   */
  initContainers?: Container[];
  /**
   * The node that the pod runs on. The scheduler sets it through a binding; a pod created with it bypasses the
   * scheduler.
   */
  nodeName?: string;
  /** Labels that a node must have to run the pod. It can be narrowed while the pod has scheduling gates. */
  nodeSelector?: Record<string, string>;
  /** The operating system that the pod is made for. It limits which fields may be set. */
  os?: PodOS;
  /** Resources that the pod itself needs beyond its containers. Admission sets it from the RuntimeClass. */
  overhead?: Record<string, Quantity>;
  /**
   * Whether the pod may take the place of pods of lower priority. It comes from the priority class.
   * - `Never`: Waits for room.
   * - `PreemptLowerPriority`: Has pods of lower priority evicted.
   */
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  /** The importance of the pod as a number; more is more important. Admission sets it from the priority class. */
  priority?: number;
  /** The PriorityClass of the pod. Without it, the class with `globalDefault` applies, or priority 0 if there is none. */
  priorityClassName?: string;
  /** Additional conditions that must be `True` for the pod to be ready. */
  readinessGates?: PodReadinessGate[];
  /** ResourceClaims that must be allocated before the pod starts. Containers refer to them by name. */
  resourceClaims?: PodResourceClaim[];
  /**
   * Amounts of CPU, memory and huge pages that the containers share, beside those of each container. They can change
   * through the `resize` subresource.
   */
  resources?: ResourceRequirements;
  /**
   * When containers that end are started again on the same node.
   * - `Always`: After every end.
   * - `OnFailure`: After an exit code other than 0.
   * - `Never`: Not at all.
   * @default "Always"
   */
  restartPolicy?: 'Always' | 'Never' | 'OnFailure';
  /** The RuntimeClass that says which container runtime runs the pod. Without it, the node's usual one does. */
  runtimeClassName?: string;
  /**
   * The scheduler that chooses the pod's node.
   * @default "default-scheduler"
   */
  schedulerName?: string;
  /** Names of conditions for which the scheduler waits. They can only be given at creation, and be removed later. */
  schedulingGates?: PodSchedulingGate[];
  /** The group of pods with which the pod is to be scheduled. It needs a feature that is not enabled by default. */
  schedulingGroup?: PodSchedulingGroup;
  /** Users, groups and profiles for all containers, unless a container has its own. */
  securityContext?: PodSecurityContext;
  /**
   * The former name of `serviceAccountName`, which always has the same value.
   * @deprecated Use `serviceAccountName` instead.
   */
  serviceAccount?: string;
  /** The ServiceAccount that the pod acts as. Admission sets `default` if it is empty. */
  serviceAccountName?: string;
  /** Whether the host name in the pod is its fully qualified domain name rather than the first part of it. */
  setHostnameAsFQDN?: boolean;
  /** Whether all containers of the pod see each other's processes. */
  shareProcessNamespace?: boolean;
  /**
   * The domain below that of the namespace in which the pod has a DNS name, if a headless service of this name selects
   * it.
   */
  subdomain?: string;
  /**
   * How many seconds containers have to end after they were told to stop, before they are killed. `0` kills them at
   * once.
   * @default 30
   */
  terminationGracePeriodSeconds?: number;
  /** Taints in spite of which the pod may run on a node. A running pod can get more of them. */
  tolerations?: Toleration[];
  /** How the pod and others like it are to be spread over zones, nodes or other domains. All constraints apply. */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /** Volumes that containers can mount, each under a name of its own. */
  volumes?: Volume[];
}

/** How a pod is doing. It may lag behind what happens on the node. */
export interface PodStatus {
  /**
   * The requests that the node has set aside for the pod in all. Without pod-level requests, they are the sum over its
   * containers.
   */
  allocatedResources?: Record<string, Quantity>;
  /** Observations such as `PodScheduled`, `Initialized`, `ContainersReady` and `Ready`. */
  conditions?: PodCondition[];
  /** The state of each main container. */
  containerStatuses?: ContainerStatus[];
  /** The state of each ephemeral container. */
  ephemeralContainerStatuses?: ContainerStatus[];
  /** Which ResourceClaim serves the extended resources that containers request. */
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  /** The first IP address of the pod's node, empty before the pod is assigned to one. */
  hostIP?: string;
  /** The IP addresses of the pod's node, at most one of each family, with `hostIP` first. */
  hostIPs?: HostIP[];
  /** The state of each init container. */
  initContainerStatuses?: ContainerStatus[];
  /** An explanation of the pod's state for people. */
  message?: string;
  /**
   * Ordinary resources of the node, such as CPU or memory, that the pod uses through ResourceClaims. It needs a
   * feature that is not enabled by default.
   */
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
  /**
   * The node on which the scheduler has pods of lower priority evicted to make room for the pod, which may still run
   * elsewhere.
   */
  nominatedNodeName?: string;
  /** The `metadata.generation` that the kubelet acted on when it last reported. */
  observedGeneration?: number;
  /**
   * The phase of the pod's life cycle, in brief. The conditions and container states say more.
   * - `Pending`: Waits for a node, images or init containers.
   * - `Running`: Is on a node, and a container runs or restarts.
   * - `Succeeded`: All containers ended with success for good.
   * - `Failed`: All containers ended, at least one with failure.
   * - `Unknown`: The node does not report.
   */
  phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown';
  /** The pod's first IP address, empty before it has one. */
  podIP?: string;
  /** The pod's IP addresses, at most one of each family, with `podIP` first. */
  podIPs?: PodIP[];
  /**
   * How the pod is treated when its node runs short, as follows from requests and limits at creation. It cannot change
   * after creation.
   * - `Guaranteed`: All containers have limits for CPU and memory, with equal requests; evicted last.
   * - `Burstable`: Some container has a request or limit.
   * - `BestEffort`: No requests or limits; evicted first.
   */
  qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed';
  /** A CamelCase word for the cause of the pod's state, such as `Evicted`. */
  reason?: string;
  /**
   * How far a change of the containers' resources has come.
   * @deprecated Replaced by the conditions `PodResizePending` and `PodResizeInProgress`.
   */
  resize?: string;
  /** Which ResourceClaims were made for the claims in `spec.resourceClaims` that name a template. */
  resourceClaimStatuses?: PodResourceClaimStatus[];
  /** The pod-level requests and limits that are in force on the node. */
  resources?: ResourceRequirements;
  /** When the kubelet took notice of the pod, before it pulled any images. */
  startTime?: Time;
}

/** A stored template for pods, for use by controllers outside Kubernetes. */
export interface PodTemplate extends KubernetesObject {
  /** The template from which pods are made. */
  template?: PodTemplateSpec;
}
export const PodTemplate: ResourceType<PodTemplate, 'Namespaced'> = /* @__PURE__ */ resourceType<PodTemplate, 'Namespaced'>({ group: '', version: 'v1', kind: 'PodTemplate', plural: 'podtemplates', scope: 'Namespaced' });

/** A list of PodTemplates. */
export type PodTemplateList = KubernetesList<PodTemplate>;

/** A pod as a controller creates it, without a name of its own. */
export interface PodTemplateSpec {
  /** The labels, annotations and finalizers that pods made from the template get. */
  metadata?: ObjectMeta;
  /** The `spec` that pods made from the template get. */
  spec?: PodSpec;
}

/** The state of one port of a load balancer. */
export interface PortStatus {
  /** Why the port does not work, as a CamelCase word that may be qualified as in `example.com/Taken`. */
  error?: string;
  /** The number of the service's port. */
  port: number;
  /**
   * The protocol of the service's port.
   * - `TCP`: Transmission Control Protocol.
   * - `UDP`: User Datagram Protocol.
   * - `SCTP`: Stream Control Transmission Protocol.
   */
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

/** A volume of Portworx. */
export interface PortworxVolumeSource {
  /** The file system to mount, such as `ext4` or `xfs`. The node must support it. */
  fsType?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** The ID of the volume at Portworx. */
  volumeID: string;
}

/** A preference for nodes of some sort. */
export interface PreferredSchedulingTerm {
  /** The nodes that are preferred. A term without requirements matches none. */
  preference: NodeSelectorTerm;
  /** How much the preference counts, 1 to 100. */
  weight: number;
}

/** A regular check of a container. Exactly one of `exec`, `grpc`, `httpGet` and `tcpSocket` is given. */
export interface Probe {
  /** A command in the container, which succeeds with exit code 0. */
  exec?: ExecAction;
  /**
   * How many failures in a row make the probe fail, at least 1.
   * @default 3
   */
  failureThreshold?: number;
  /** A gRPC health check of the container. */
  grpc?: GRPCAction;
  /** An HTTP request to the container, which succeeds with a status from 200 to 399. */
  httpGet?: HTTPGetAction;
  /** How many seconds to wait after the container's start before the first check. */
  initialDelaySeconds?: number;
  /**
   * How many seconds lie between checks, at least 1.
   * @default 10
   */
  periodSeconds?: number;
  /**
   * How many successes in a row count as success after a failure. Liveness and startup probes allow only 1.
   * @default 1
   */
  successThreshold?: number;
  /** A TCP connection to the container, which succeeds if it opens. */
  tcpSocket?: TCPSocketAction;
  /**
   * How many seconds the container has to end when this probe fails, in place of the pod's own period. It is not
   * allowed for readiness probes.
   */
  terminationGracePeriodSeconds?: number;
  /**
   * After how many seconds without an answer a check counts as failed, at least 1.
   * @default 1
   */
  timeoutSeconds?: number;
}

/** Files from several sources in one directory. */
export interface ProjectedVolumeSource {
  /**
   * The permission bits of the files, 0 to 0777 in octal or 0 to 511 in decimal; JSON needs decimal.
   * @default 420
   */
  defaultMode?: number;
  /** The sources of the files. Their paths must not collide. */
  sources?: VolumeProjection[];
}

/** A volume of Quobyte. */
export interface QuobyteVolumeSource {
  /** The group as which files are accessed. Without it, none is given. */
  group?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** The addresses of the Quobyte registries, each a host and a port, separated by commas. */
  registry: string;
  /** The tenant that owns the volume. Provisioners set it. */
  tenant?: string;
  /** The user as whom files are accessed. Without it, the user of the service account. */
  user?: string;
  /** The name of the volume at Quobyte. */
  volume: string;
}

/** A block device of Ceph behind a PersistentVolume. */
export interface RBDPersistentVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The name of the image at Ceph. */
  image: string;
  /**
   * The path on the node of the user's key ring.
   * @default "/etc/ceph/keyring"
   */
  keyring?: string;
  /** The addresses of the Ceph monitors. */
  monitors: string[];
  /**
   * The pool that holds the image.
   * @default "rbd"
   */
  pool?: string;
  /** Whether the device is mounted read-only. */
  readOnly?: boolean;
  /** The Secret with the user's key, which wins over `keyring`. */
  secretRef?: SecretReference;
  /**
   * The user at Ceph.
   * @default "admin"
   */
  user?: string;
}

/** A block device of Ceph. */
export interface RBDVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The name of the image at Ceph. */
  image: string;
  /**
   * The path on the node of the user's key ring.
   * @default "/etc/ceph/keyring"
   */
  keyring?: string;
  /** The addresses of the Ceph monitors. */
  monitors: string[];
  /**
   * The pool that holds the image.
   * @default "rbd"
   */
  pool?: string;
  /** Whether the device is mounted read-only. */
  readOnly?: boolean;
  /** A Secret in the pod's namespace with the user's key, which wins over `keyring`. */
  secretRef?: LocalObjectReference;
  /**
   * The user at Ceph.
   * @default "admin"
   */
  user?: string;
}

/** Keeps a number of equal pods running. Deployments have taken its place. */
export interface ReplicationController extends KubernetesObject {
  /** How many pods should run, and how they are made. */
  spec?: ReplicationControllerSpec;
  /** How many pods there are, as last seen. */
  status?: ReplicationControllerStatus;
}
export const ReplicationController: ResourceType<ReplicationController, 'Namespaced'> = /* @__PURE__ */ resourceType<ReplicationController, 'Namespaced'>({ group: '', version: 'v1', kind: 'ReplicationController', plural: 'replicationcontrollers', scope: 'Namespaced', shortNames: ['rc'], categories: ['all'] });

/** An observation about the state of a ReplicationController. */
export interface ReplicationControllerCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `ReplicaFailure`. */
  type: string;
}

/** A list of ReplicationControllers. */
export type ReplicationControllerList = KubernetesList<ReplicationController>;

/** The desired state of a ReplicationController. */
export interface ReplicationControllerSpec {
  /** How many seconds a new pod must be ready, without a container ending, to count as available. */
  minReadySeconds?: number;
  /**
   * How many pods should run. 0 ends all of them.
   * @default 1
   */
  replicas?: number;
  /**
   * Labels of the pods that are counted. The server sets it to the template's labels if it is empty; the template must
   * have these labels.
   */
  selector?: Record<string, string>;
  /** The template from which pods are made, with restart policy `Always`. A change affects new pods only. */
  template?: PodTemplateSpec;
}

/** How many pods a ReplicationController has, as last seen. */
export interface ReplicationControllerStatus {
  /** How many pods have been ready for at least `minReadySeconds`. */
  availableReplicas?: number;
  /** Observations such as `ReplicaFailure`. */
  conditions?: ReplicationControllerCondition[];
  /** How many pods have all labels of the template. */
  fullyLabeledReplicas?: number;
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are. */
  replicas: number;
}

/** A ResourceClaim of the pod that a container uses. */
export interface ResourceClaim {
  /** The name of the claim in the pod's `spec.resourceClaims`. */
  name: string;
  /** The request of the claim that the container uses. Without it, the container uses all of them. */
  request?: string;
}

/** A request or limit of a container as a number. */
export interface ResourceFieldSelector {
  /**
   * The container that has the request or limit. In environment variables it may be left out and then means the
   * container itself; in volumes it is required.
   */
  containerName?: string;
  /**
   * The unit of the result, such as `1m` for CPU or `1Mi` for memory. The result is rounded up, and without a unit it
   * counts cores or bytes.
   */
  divisor?: Quantity;
  /** The amount to read, such as `limits.cpu` or `requests.memory`. */
  resource: string;
}

/** The health of one device. */
export interface ResourceHealth {
  /** The health of the device, one of `Healthy`, `Unhealthy` and `Unknown`. It can change back and forth. */
  health?: string;
  /** An explanation of the health for people. */
  message?: string;
  /** The ID of the device, unique among those of the resource on the node. */
  resourceID: string;
}

/** Limits how much all objects of a namespace may use together. */
export interface ResourceQuota extends KubernetesObject {
  /** The limits, and which objects they count. */
  spec?: ResourceQuotaSpec;
  /** The limits that are enforced, and what is used of them. */
  status?: ResourceQuotaStatus;
}
export const ResourceQuota: ResourceType<ResourceQuota, 'Namespaced'> = /* @__PURE__ */ resourceType<ResourceQuota, 'Namespaced'>({ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', scope: 'Namespaced', shortNames: ['quota'] });

/** A list of ResourceQuotas. */
export type ResourceQuotaList = KubernetesList<ResourceQuota>;

/** The limits of a quota, and which objects they count. */
export interface ResourceQuotaSpec {
  /** The limit for each resource, such as `requests.cpu`, `pods` or `count/deployments.apps`. */
  hard?: Record<string, Quantity>;
  /** Selects the objects that are counted, by scopes with operators. An object must match it and all `scopes`. */
  scopeSelector?: ScopeSelector;
  /**
   * Scopes that an object must be in to be counted, such as `BestEffort` or `NotTerminating`. Without any, all objects
   * are counted. It cannot change after creation.
   */
  scopes?: ('BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass')[];
}

/** The limits that are enforced, and what is used of them. */
export interface ResourceQuotaStatus {
  /** The limits that are enforced at present. */
  hard?: Record<string, Quantity>;
  /** How much of each resource the namespace uses at present. */
  used?: Record<string, Quantity>;
}

/** How much of each resource is needed, and how much may be used. */
export interface ResourceRequirements {
  /** The pod's ResourceClaims that the container uses. They must stand in `spec.resourceClaims`. */
  claims?: ResourceClaim[];
  /**
   * The most that may be used of each resource. A container is slowed down at its CPU limit, and is killed if it
   * exceeds its memory limit.
   */
  limits?: Record<string, Quantity>;
  /**
   * The least that is needed of each resource, by which the scheduler chooses a node. In a Pod, a resource with a
   * limit but without a request gets the limit as its request.
   */
  requests?: Record<string, Quantity>;
}

/** The health of one special resource of a container. */
export interface ResourceStatus {
  /** The name of the resource, such as `example.com/gpu`, or `claim:NAME/REQUEST` for one from a ResourceClaim. */
  name: string;
  /** The health of each single device that serves the resource. */
  resources?: ResourceHealth[];
}

/** The SELinux label of a container or a pod. */
export interface SELinuxOptions {
  /** The level part of the label, as `s0:c123,c456`. */
  level?: string;
  /** The role part of the label. */
  role?: string;
  /** The type part of the label. */
  type?: string;
  /** The user part of the label. */
  user?: string;
}

/** A volume of ScaleIO behind a PersistentVolume. */
export interface ScaleIOPersistentVolumeSource {
  /**
   * The file system to mount. The node must support it.
   * @default "xfs"
   */
  fsType?: string;
  /** The address of the ScaleIO gateway. */
  gateway: string;
  /** The name of the protection domain of the storage. */
  protectionDomain?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** The Secret with the credentials of the gateway, without which the login fails. */
  secretRef: SecretReference;
  /** Whether the connection to the gateway uses TLS. */
  sslEnabled?: boolean;
  /**
   * How the volume is provisioned, either `ThickProvisioned` or `ThinProvisioned`.
   * @default "ThinProvisioned"
   */
  storageMode?: string;
  /** The pool of the protection domain that holds the volume. */
  storagePool?: string;
  /** The ScaleIO system that has the storage, by name. */
  system: string;
  /** The name of an existing volume at ScaleIO. */
  volumeName?: string;
}

/** A volume of ScaleIO. */
export interface ScaleIOVolumeSource {
  /**
   * The file system to mount. The node must support it.
   * @default "xfs"
   */
  fsType?: string;
  /** The address of the ScaleIO gateway. */
  gateway: string;
  /** The name of the protection domain of the storage. */
  protectionDomain?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** A Secret in the pod's namespace with the credentials of the gateway, without which the login fails. */
  secretRef: LocalObjectReference;
  /** Whether the connection to the gateway uses TLS. */
  sslEnabled?: boolean;
  /**
   * How the volume is provisioned, either `ThickProvisioned` or `ThinProvisioned`.
   * @default "ThinProvisioned"
   */
  storageMode?: string;
  /** The pool of the protection domain that holds the volume. */
  storagePool?: string;
  /** The ScaleIO system that has the storage, by name. */
  system: string;
  /** The name of an existing volume at ScaleIO. */
  volumeName?: string;
}

/** Selects objects by scopes with operators. */
export interface ScopeSelector {
  /** Requirements about scopes, all of which must be fulfilled. */
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/** Says what a quota requires of an object with regard to one scope. */
export interface ScopedResourceSelectorRequirement {
  /**
   * How the scope is compared. Only scopes with values allow anything but `Exists`.
   * - `In`: Its value is one of `values`.
   * - `NotIn`: Its value is none of `values`.
   * - `Exists`: The object is in the scope.
   * - `DoesNotExist`: The object is not in the scope.
   */
  operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn';
  /**
   * The scope that is required or not.
   * - `BestEffort`: Pods without requests and limits.
   * - `NotBestEffort`: Pods with requests or limits.
   * - `Terminating`: Pods with `activeDeadlineSeconds`.
   * - `NotTerminating`: Pods without `activeDeadlineSeconds`.
   * - `PriorityClass`: Pods with a priority class.
   * - `CrossNamespacePodAffinity`: Pods with affinity to other namespaces.
   * - `VolumeAttributesClass`: Claims with a class.
   */
  scopeName: 'BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass';
  /**
   * The values to compare with, such as names of priority classes. `In` and `NotIn` need at least one, the others
   * allow none.
   */
  values?: string[];
}

/** The seccomp profile that limits the system calls of a container. */
export interface SeccompProfile {
  /**
   * The path of a profile on the node, relative to the kubelet's seccomp directory. It is required with `Localhost`
   * and not allowed otherwise.
   */
  localhostProfile?: string;
  /**
   * Which profile is used.
   * - `Localhost`: The file that `localhostProfile` names.
   * - `RuntimeDefault`: That of the container runtime.
   * - `Unconfined`: None; all system calls are allowed.
   */
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
}

/** Confidential data for pods to read, as keys with values. */
export interface Secret extends KubernetesObject {
  /**
   * The values, in base64. A key has letters, digits, hyphens, underscores and dots; all values together may have at
   * most 1 MiB.
   */
  data?: Record<string, string>;
  /**
   * Whether the data is fixed for good. Once it is `true`, neither it nor the data can change, and nodes need not
   * watch it.
   */
  immutable?: boolean;
  /**
   * Values as plain text, for writing only. The server moves them into `data`, where they replace values of the same
   * key.
   */
  stringData?: Record<string, string>;
  /**
   * The purpose of the Secret, such as `kubernetes.io/tls`. Some types require certain keys. It cannot change after
   * creation.
   * @default "Opaque"
   */
  type?: string;
}
export const Secret: ResourceType<Secret, 'Namespaced'> = /* @__PURE__ */ resourceType<Secret, 'Namespaced'>({ group: '', version: 'v1', kind: 'Secret', plural: 'secrets', scope: 'Namespaced' });

/** A Secret whose keys all become environment variables. */
export interface SecretEnvSource {
  /** The name of the Secret in the pod's namespace. */
  name?: string;
  /** Whether the container may start without the Secret. */
  optional?: boolean;
}

/** One key of a Secret. */
export interface SecretKeySelector {
  /** The key whose value is used. It must be in `data`. */
  key: string;
  /** The name of the Secret in the same namespace. */
  name?: string;
  /** Whether the container may start without the Secret or its key. */
  optional?: boolean;
}

/** A list of Secrets. */
export type SecretList = KubernetesList<Secret>;

/** Files from the keys of a Secret, as part of a projected volume. */
export interface SecretProjection {
  /** The keys to use and the files that they become. Without it, each key becomes a file of its name. */
  items?: KeyToPath[];
  /** The name of the Secret in the pod's namespace. */
  name?: string;
  /** Whether the pod may start without the Secret or its keys. */
  optional?: boolean;
}

/** A Secret in any namespace. */
export interface SecretReference {
  /** The name of the Secret. */
  name?: string;
  /** The namespace of the Secret. */
  namespace?: string;
}

/**
 * Files from the keys of a Secret, kept in memory on the node. They follow changes of it, unless they are mounted with
 * `subPath`.
 */
export interface SecretVolumeSource {
  /**
   * The permission bits of the files, 0 to 0777 in octal or 0 to 511 in decimal; JSON needs decimal.
   * @default 420
   */
  defaultMode?: number;
  /** The keys to use and the files that they become. Without it, each key becomes a file of its name. */
  items?: KeyToPath[];
  /** Whether the pod may start without the Secret or its keys. */
  optional?: boolean;
  /** The name of the Secret in the pod's namespace. */
  secretName?: string;
}

/** Users, privileges and profiles of one container. */
export interface SecurityContext {
  /**
   * Whether processes can get privileges that their parents lack, as through `setuid`. On Linux only; they always can
   * in privileged containers and those with the capability `SYS_ADMIN`.
   */
  allowPrivilegeEscalation?: boolean;
  /** The AppArmor profile of the container, which wins over the pod's. On Linux only. */
  appArmorProfile?: AppArmorProfile;
  /** Linux capabilities to add to or drop from those that the runtime gives. */
  capabilities?: Capabilities;
  /** Whether the container is nearly as powerful as root on the node. On Linux only. */
  privileged?: boolean;
  /**
   * How `/proc` appears in the container. Without it, `Default` applies; `Unmasked` needs `hostUsers` to be `false`.
   * - `Default`: Some paths are hidden or read-only.
   * - `Unmasked`: All paths are as they are.
   */
  procMount?: 'Default' | 'Unmasked';
  /** Whether the root file system of the container is read-only. On Linux only. */
  readOnlyRootFilesystem?: boolean;
  /** The main group ID of the container's processes, which wins over the pod's. On Linux only. */
  runAsGroup?: number;
  /** Whether the kubelet refuses to start the container if it would run as user 0. */
  runAsNonRoot?: boolean;
  /** The user ID of the container's processes, which wins over the pod's. On Linux only. */
  runAsUser?: number;
  /** The SELinux label of the container, which wins over the pod's. On Linux only. */
  seLinuxOptions?: SELinuxOptions;
  /** The seccomp profile of the container, which wins over the pod's. On Linux only. */
  seccompProfile?: SeccompProfile;
  /** Settings for a Windows container, which win over the pod's. They are not allowed if `os.name` is `linux`. */
  windowsOptions?: WindowsSecurityContextOptions;
}

/** A stable address for a changing set of pods. */
export interface Service extends KubernetesObject {
  /** Which pods the service reaches, at which ports and from where. */
  spec?: ServiceSpec;
  /** Where the load balancer of the service is reached, and conditions of the service. */
  status?: ServiceStatus;
}
export const Service: ResourceType<Service, 'Namespaced'> = /* @__PURE__ */ resourceType<Service, 'Namespaced'>({ group: '', version: 'v1', kind: 'Service', plural: 'services', scope: 'Namespaced', shortNames: ['svc'], categories: ['all'] });

/** An identity for processes in pods. */
export interface ServiceAccount extends KubernetesObject {
  /** Whether pods of the account get a token as a file, unless they decide for themselves. */
  automountServiceAccountToken?: boolean;
  /** Secrets with credentials for image registries, which pods of the account get if they have none. */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * Secrets that pods of the account may use, where the annotation `kubernetes.io/enforce-mountable-secrets` limits
   * them to those. The annotation is deprecated since Kubernetes 1.32.
   */
  secrets?: ObjectReference[];
}
export const ServiceAccount: ResourceType<ServiceAccount, 'Namespaced'> = /* @__PURE__ */ resourceType<ServiceAccount, 'Namespaced'>({ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', scope: 'Namespaced', shortNames: ['sa'] });

/** A list of ServiceAccounts. */
export type ServiceAccountList = KubernetesList<ServiceAccount>;

/** A file with a token of the pod's service account. */
export interface ServiceAccountTokenProjection {
  /**
   * The recipient that the token is meant for, which must refuse tokens meant for others. Without it, the API server
   * is meant.
   */
  audience?: string;
  /**
   * For how many seconds the token is to be valid, at least 600. The kubelet renews it when 80 per cent of the time or
   * 24 hours have passed.
   * @default 3600
   */
  expirationSeconds?: number;
  /** The path of the file in the volume, relative and without `..`. */
  path: string;
}

/** A list of Services. */
export type ServiceList = KubernetesList<Service>;

/** A port of a service. */
export interface ServicePort {
  /** The application protocol at the port, as a hint, such as `https` or the qualified `kubernetes.io/h2c`. */
  appProtocol?: string;
  /** The name of the port, a DNS label that is unique in the service. It may be left out if there is only one port. */
  name?: string;
  /**
   * The port of every node that leads here, for types `NodePort` and `LoadBalancer`. The server chooses one from its
   * range, which usually is 30000 to 32767, unless one is given.
   */
  nodePort?: number;
  /** The number of the port at the service's address, 1 to 65535. */
  port: number;
  /**
   * The protocol that is spoken at the port.
   * - `TCP`: Transmission Control Protocol.
   * - `UDP`: User Datagram Protocol.
   * - `SCTP`: Stream Control Transmission Protocol.
   * @default "TCP"
   */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
  /**
   * The port of the pods, as a number or as the name of a container port. The server sets it to `port` if it is
   * absent; headless services ignore it.
   */
  targetPort?: IntOrString;
}

/** Which pods a service reaches, at which ports and from where. */
export interface ServiceSpec {
  /**
   * Whether a service of type `LoadBalancer` gets node ports; other types do not have the field. Without them the load
   * balancer must reach pods directly.
   * @default true
   */
  allocateLoadBalancerNodePorts?: boolean;
  /**
   * The first IP address of the service, which the server chooses unless one is given; it stays until the type becomes
   * `ExternalName`. `None` makes the service headless, so that DNS answers with its pods.
   */
  clusterIP?: string;
  /**
   * The IP addresses of the service, at most one of each family, with `clusterIP` first. The server chooses those that
   * are not given.
   */
  clusterIPs?: string[];
  /**
   * IP addresses at which nodes accept traffic for the service. They must be routed to the nodes from outside
   * Kubernetes.
   * @deprecated Deprecated since Kubernetes 1.36; some clusters ignore it.
   */
  externalIPs?: string[];
  /** The DNS name that a service of type `ExternalName` stands for, answered as a CNAME record. */
  externalName?: string;
  /**
   * Where traffic from outside the cluster goes. Only types `NodePort` and `LoadBalancer` and services with
   * `externalIPs` have it.
   * - `Cluster`: To all endpoints; the client's address may be lost.
   * - `Local`: Only to endpoints on the node that received it; it is dropped if there are none.
   * @default "Cluster"
   */
  externalTrafficPolicy?: 'Cluster' | 'Local';
  /**
   * The node port at which load balancers ask whether a node has endpoints. It is for type `LoadBalancer` with
   * `externalTrafficPolicy` `Local`; the server chooses one, and it stays while they do.
   */
  healthCheckNodePort?: number;
  /**
   * Where traffic from inside the cluster goes. Type `ExternalName` does not have it.
   * - `Cluster`: To all endpoints.
   * - `Local`: Only to endpoints on the node that the traffic comes from; it is dropped if there are none.
   * @default "Cluster"
   */
  internalTrafficPolicy?: 'Cluster' | 'Local';
  /**
   * The IP families of the service, `IPv4`, `IPv6` or both, the main one first. The server chooses what is not given;
   * the first family does not change.
   */
  ipFamilies?: ('' | 'IPv4' | 'IPv6')[];
  /**
   * How many IP families the service has. The server sets `SingleStack`, or `RequireDualStack` for a headless service
   * without a selector.
   * - `SingleStack`: One.
   * - `PreferDualStack`: Two if the cluster has them.
   * - `RequireDualStack`: Two; it fails if the cluster has one.
   */
  ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack';
  /**
   * The load balancer implementation that serves the service, a qualified name; without it, the cluster's own does. It
   * is for type `LoadBalancer` and stays while the type does.
   */
  loadBalancerClass?: string;
  /**
   * An IP address that the load balancer should get, if its provider supports that.
   * @deprecated Its meaning differs between providers; use their annotations instead.
   */
  loadBalancerIP?: string;
  /** Networks from which clients may reach the load balancer, as `10.0.0.0/8`, if its provider supports that. */
  loadBalancerSourceRanges?: string[];
  /** The ports of the service. They are required unless the service is headless or of type `ExternalName`. */
  ports?: ServicePort[];
  /** Whether DNS and endpoints include pods that are not ready. Peers of a StatefulSet find each other with it. */
  publishNotReadyAddresses?: boolean;
  /**
   * Labels of the pods that the service reaches; type `ExternalName` ignores them. Without any, Kubernetes does not
   * maintain endpoints for the service.
   */
  selector?: Record<string, string>;
  /**
   * Whether a client reaches the same pod again.
   * - `ClientIP`: The same pod for the same client address, for a time.
   * - `None`: Any pod each time.
   * @default "None"
   */
  sessionAffinity?: 'ClientIP' | 'None';
  /** Details of the session affinity. It is removed if `sessionAffinity` is `None`. */
  sessionAffinityConfig?: SessionAffinityConfig;
  /**
   * A preference for near endpoints, one of `PreferSameZone`, `PreferSameNode` and `PreferClose`, which is an older
   * name of `PreferSameZone`.
   */
  trafficDistribution?: string;
  /**
   * From where the service is reached.
   * - `ClusterIP`: From inside the cluster, or nowhere by address if it is headless.
   * - `NodePort`: Also at a port of every node.
   * - `LoadBalancer`: Also through an external load balancer.
   * - `ExternalName`: By a DNS alias only; it has no address and no endpoints.
   * @default "ClusterIP"
   */
  type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort';
}

/** The observed state of a service. */
export interface ServiceStatus {
  /** Observations about the service, such as those of its load balancer. */
  conditions?: Condition[];
  /** Where the load balancer is reached. It is empty if there is none. */
  loadBalancer?: LoadBalancerStatus;
}

/** Details of a service's session affinity. */
export interface SessionAffinityConfig {
  /** Details of affinity by the client's address. */
  clientIP?: ClientIPConfig;
}

/** A pause of a given length. */
export interface SleepAction {
  /** How many seconds to pause. It must not exceed the pod's grace period. */
  seconds: number;
}

/** A volume of StorageOS behind a PersistentVolume. */
export interface StorageOSPersistentVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** The Secret with the credentials of the StorageOS API. Its name and namespace are required. */
  secretRef?: ObjectReference;
  /** The name of the volume, unique in its StorageOS namespace. */
  volumeName?: string;
  /** The StorageOS namespace of the volume. Without it, the namespace of the claim. */
  volumeNamespace?: string;
}

/** A volume of StorageOS. */
export interface StorageOSVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** Whether the volume is mounted read-only. */
  readOnly?: boolean;
  /** A Secret in the pod's namespace with the credentials of the StorageOS API. */
  secretRef?: LocalObjectReference;
  /** The name of the volume, unique in its StorageOS namespace. */
  volumeName?: string;
  /** The StorageOS namespace of the volume. Without it, the pod's namespace. */
  volumeNamespace?: string;
}

/** One kernel setting of a pod. */
export interface Sysctl {
  /** The name of the setting, as `net.ipv4.ip_forward`. */
  name: string;
  /** The value of the setting. */
  value: string;
}

/** A TCP connection that is opened and closed. */
export interface TCPSocketAction {
  /** The host to connect to, which is the pod's own address if none is given. */
  host?: string;
  /** The port of the container, as a number or by name. */
  port: IntOrString;
}

/** A mark on a node that keeps pods away unless they tolerate it. */
export interface Taint {
  /**
   * Says what happens to pods that do not tolerate the taint.
   * - `NoSchedule`: New pods are not placed on the node.
   * - `PreferNoSchedule`: New pods are placed elsewhere if possible.
   * - `NoExecute`: New pods are not placed on the node and running ones are evicted.
   */
  effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule';
  /** The name of the taint, a qualified name as for labels. */
  key: string;
  /** When the taint was added. Tolerations with a limit in seconds count from it. */
  timeAdded?: Time;
  /** A value for tolerations to compare with, as for labels. */
  value?: string;
}

/** A taint in spite of which a pod may run on a node. */
export interface Toleration {
  /**
   * The effect that is tolerated; all effects if it is empty.
   * - `NoSchedule`: New pods are not placed on the node.
   * - `PreferNoSchedule`: New pods are placed elsewhere if possible.
   * - `NoExecute`: New pods are not placed on the node and running ones are evicted.
   */
  effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule';
  /**
   * The key of the taints that are tolerated. If it is empty, `operator` must be `Exists`, and all taints are
   * tolerated.
   */
  key?: string;
  /**
   * How the taint's value is compared. Without it, `Equal` applies; `Gt` and `Lt` need a feature that is not enabled
   * by default.
   * - `Equal`: Is the same as `value`.
   * - `Exists`: May be anything.
   * - `Gt`: Is a whole number above `value`.
   * - `Lt`: Is a whole number below `value`.
   */
  operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt';
  /**
   * For how many seconds a taint with the effect `NoExecute` is tolerated before the pod is evicted. Without it, the
   * taint is tolerated for good; 0 or less evicts at once.
   */
  tolerationSeconds?: number;
  /** The value to compare with. It must be empty with `Exists`. */
  value?: string;
}

/** The values that a topology label may have. */
export interface TopologySelectorLabelRequirement {
  /** The key of the label. */
  key: string;
  /** The allowed values, of which one must match. */
  values: string[];
}

/** Requirements about topology labels that must be fulfilled together. */
export interface TopologySelectorTerm {
  /** The requirements, one for each label. */
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/** How evenly pods of some sort are to be spread over the domains of a topology. */
export interface TopologySpreadConstraint {
  /** Selects the pods that are counted in each domain. */
  labelSelector?: LabelSelector;
  /**
   * Label keys whose values counted pods must share with the pod itself, in addition to `labelSelector`. Keys that the
   * pod lacks are ignored.
   */
  matchLabelKeys?: string[];
  /**
   * By how many pods a domain may exceed the emptiest one, at least 1. With `ScheduleAnyway`, it gives preference to
   * domains that reduce the difference.
   */
  maxSkew: number;
  /**
   * How many domains must have suitable nodes, for `DoNotSchedule` only. While there are fewer, the smallest count is
   * taken as 0.
   */
  minDomains?: number;
  /**
   * Whether domains count nodes that the pod's node selector and affinity exclude. Without it, `Honor` applies.
   * - `Honor`: Counts only nodes that they allow.
   * - `Ignore`: Counts all nodes.
   */
  nodeAffinityPolicy?: 'Honor' | 'Ignore';
  /**
   * Whether domains count nodes with taints that the pod does not tolerate. Without it, `Ignore` applies.
   * - `Honor`: Leaves out nodes whose taints are not tolerated.
   * - `Ignore`: Counts all nodes.
   */
  nodeTaintsPolicy?: 'Honor' | 'Ignore';
  /** The key of the node label that defines a domain. Nodes without the label are left out. */
  topologyKey: string;
  /**
   * Says what happens to a pod that would exceed `maxSkew` everywhere.
   * - `DoNotSchedule`: The pod waits.
   * - `ScheduleAnyway`: The pod is scheduled where the difference stays least.
   */
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
}

/** An object of any kind in the same namespace. */
export interface TypedLocalObjectReference {
  /** The API group of the object's kind. If it is absent, the kind must be of the core group. */
  apiGroup?: string;
  /** The kind of the object. */
  kind: string;
  /** The name of the object. */
  name: string;
}

/** An object of any kind, possibly in another namespace. */
export interface TypedObjectReference {
  /** The API group of the object's kind. If it is absent, the kind must be of the core group. */
  apiGroup?: string;
  /** The kind of the object. */
  kind: string;
  /** The name of the object. */
  name: string;
  /**
   * The namespace of the object. Another namespace needs a ReferenceGrant there and a feature that is not enabled by
   * default.
   */
  namespace?: string;
}

/** A volume that the containers of a pod can mount. At most one source is given; without any it is an empty directory. */
export interface Volume {
  /**
   * A disk of AWS Elastic Block Store. The CSI driver `ebs.csi.aws.com` serves it.
   * @deprecated Use a CSI driver instead.
   */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /**
   * A data disk of Azure. The CSI driver `disk.csi.azure.com` serves it.
   * @deprecated Use a CSI driver instead.
   */
  azureDisk?: AzureDiskVolumeSource;
  /**
   * A file share of Azure. The CSI driver `file.csi.azure.com` serves it.
   * @deprecated Use a CSI driver instead.
   */
  azureFile?: AzureFileVolumeSource;
  /**
   * A directory of CephFS. No node can mount it any more.
   * @deprecated Removed in Kubernetes 1.31; use a CSI driver instead.
   */
  cephfs?: CephFSVolumeSource;
  /**
   * A volume of OpenStack Cinder. The CSI driver `cinder.csi.openstack.org` serves it.
   * @deprecated Use a CSI driver instead.
   */
  cinder?: CinderVolumeSource;
  /** Files from the keys of a ConfigMap. */
  configMap?: ConfigMapVolumeSource;
  /** A short-lived volume that a CSI driver makes for the pod. */
  csi?: CSIVolumeSource;
  /** Files with fields of the pod itself. */
  downwardAPI?: DownwardAPIVolumeSource;
  /** A directory that is empty at first and is deleted with the pod. */
  emptyDir?: EmptyDirVolumeSource;
  /** A persistent volume claim that is made for the pod and is deleted with it. */
  ephemeral?: EphemeralVolumeSource;
  /** A Fibre Channel disk that is attached to the node. */
  fc?: FCVolumeSource;
  /**
   * A volume that a program on the node mounts.
   * @deprecated Use a CSI driver instead.
   */
  flexVolume?: FlexVolumeSource;
  /**
   * A dataset of Flocker. No node can mount it any more.
   * @deprecated Removed in Kubernetes 1.25.
   */
  flocker?: FlockerVolumeSource;
  /**
   * A persistent disk of Google Compute Engine. The CSI driver `pd.csi.storage.gke.io` serves it.
   * @deprecated Use a CSI driver instead.
   */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /**
   * A directory with a clone of a Git repository. No node can mount it any more.
   * @deprecated Disabled in Kubernetes 1.36; clone into an `emptyDir` in an init container instead.
   */
  gitRepo?: GitRepoVolumeSource;
  /**
   * A volume of GlusterFS. No node can mount it any more.
   * @deprecated Removed in Kubernetes 1.26.
   */
  glusterfs?: GlusterfsVolumeSource;
  /** A file or directory of the node, which gives the pod power over the node. */
  hostPath?: HostPathVolumeSource;
  /** The contents of an OCI image, mounted read-only. */
  image?: ImageVolumeSource;
  /** An iSCSI disk that is attached to the node. */
  iscsi?: ISCSIVolumeSource;
  /** The name by which containers refer to the volume, a DNS label that is unique in the pod. */
  name: string;
  /** A directory that an NFS server exports. */
  nfs?: NFSVolumeSource;
  /** The volume that a PersistentVolumeClaim in the namespace is bound to. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /**
   * A disk of VMware Photon. No node can mount it any more.
   * @deprecated Its platform no longer exists.
   */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /**
   * A volume of Portworx. The CSI driver `pxd.portworx.com` serves it.
   * @deprecated Use a CSI driver instead.
   */
  portworxVolume?: PortworxVolumeSource;
  /** Files from several ConfigMaps, Secrets, tokens and fields of the pod in one directory. */
  projected?: ProjectedVolumeSource;
  /**
   * A volume of Quobyte. No node can mount it any more.
   * @deprecated Removed in Kubernetes 1.25.
   */
  quobyte?: QuobyteVolumeSource;
  /**
   * A block device of Ceph. No node can mount it any more.
   * @deprecated Removed in Kubernetes 1.31; use a CSI driver instead.
   */
  rbd?: RBDVolumeSource;
  /**
   * A volume of ScaleIO. No node can mount it any more.
   * @deprecated Removed in Kubernetes 1.22.
   */
  scaleIO?: ScaleIOVolumeSource;
  /** Files from the keys of a Secret. */
  secret?: SecretVolumeSource;
  /**
   * A volume of StorageOS. No node can mount it any more.
   * @deprecated Removed in Kubernetes 1.25.
   */
  storageos?: StorageOSVolumeSource;
  /**
   * A disk of vSphere. The CSI driver `csi.vsphere.vmware.com` serves it.
   * @deprecated Use a CSI driver instead.
   */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** A volume that a container uses as a raw block device. */
export interface VolumeDevice {
  /** The path in the container at which the device appears. */
  devicePath: string;
  /**
   * The name of the volume in the pod's `spec.volumes`, which must be a persistent volume claim, or an ephemeral one,
   * of mode `Block`.
   */
  name: string;
}

/** A volume that is mounted into a container. */
export interface VolumeMount {
  /** The path in the container at which the volume appears. It must not contain `:`. */
  mountPath: string;
  /**
   * Whether mounts that are made later on one side appear on the other. Without it, `None` applies.
   * - `None`: Neither side sees later mounts of the other.
   * - `HostToContainer`: The container sees later mounts of the node.
   * - `Bidirectional`: Both sides see later mounts; for privileged containers only.
   */
  mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None';
  /** The name of the volume in the pod's `spec.volumes`. */
  name: string;
  /** Whether the container can only read the volume. */
  readOnly?: boolean;
  /**
   * Whether mounts below the volume are read-only too, one of `Disabled`, `IfPossible` and `Enabled`. It needs
   * `readOnly`.
   */
  recursiveReadOnly?: string;
  /** The path in the volume whose contents are mounted, in place of the volume's root. It is relative and has no `..`. */
  subPath?: string;
  /** Like `subPath`, with references as `$(NAME)` to environment variables of the container. It excludes `subPath`. */
  subPathExpr?: string;
}

/** How a volume is mounted in a container. */
export interface VolumeMountStatus {
  /** The path at which the volume is mounted. */
  mountPath: string;
  /** The name of the volume. */
  name: string;
  /** Whether the container can only read the volume. */
  readOnly?: boolean;
  /**
   * Whether mounts below the volume are read-only too, one of `Disabled`, `IfPossible` and `Enabled`. A mount that
   * succeeded shows `Disabled` or `Enabled`.
   */
  recursiveReadOnly?: string;
  /** More about the mounted volume, depending on its source. It needs a feature that is not enabled by default. */
  volumeStatus?: VolumeStatus;
}

/** Which nodes can reach a volume. */
export interface VolumeNodeAffinity {
  /** Selects the nodes. */
  required?: NodeSelector;
}

/** One source of a projected volume. At most one field is given; a source without any adds no files. */
export interface VolumeProjection {
  /** A file with the certificates of ClusterTrustBundles. It needs a feature that is not enabled by default. */
  clusterTrustBundle?: ClusterTrustBundleProjection;
  /** Files from the keys of a ConfigMap. */
  configMap?: ConfigMapProjection;
  /** Files with fields of the pod itself. */
  downwardAPI?: DownwardAPIProjection;
  /**
   * Files with a private key and a certificate that are issued to the pod and renewed. It needs a feature that is not
   * enabled by default.
   */
  podCertificate?: PodCertificateProjection;
  /** Files from the keys of a Secret. */
  secret?: SecretProjection;
  /** A file with a token of the pod's service account, which is renewed before it expires. */
  serviceAccountToken?: ServiceAccountTokenProjection;
}

/** How much storage is needed, and how much may be given. */
export interface VolumeResourceRequirements {
  /** The most that may be given of each resource. */
  limits?: Record<string, Quantity>;
  /** The least that is needed of each resource, under the key `storage`. */
  requests?: Record<string, Quantity>;
}

/** The observed state of a mounted volume. */
export interface VolumeStatus {
  /** Details of a volume whose contents are an image. */
  image?: ImageVolumeStatus;
}

/** A disk of vSphere. */
export interface VsphereVirtualDiskVolumeSource {
  /** The file system to mount, such as `ext4`. The node must support it. */
  fsType?: string;
  /** The ID of the storage policy that belongs to `storagePolicyName`. */
  storagePolicyID?: string;
  /** The name of the storage policy that the disk follows. */
  storagePolicyName?: string;
  /** The path of the disk at vSphere, as `[datastore] volumes/disk.vmdk`. */
  volumePath: string;
}

/** A preference for or against the nearness of certain pods. */
export interface WeightedPodAffinityTerm {
  /** The pods, and what counts as near. */
  podAffinityTerm: PodAffinityTerm;
  /** How much the preference counts, 1 to 100. */
  weight: number;
}

/** Settings for Windows containers. */
export interface WindowsSecurityContextOptions {
  /**
   * The group managed service account that the container runs with, as the credential spec itself. Admission fills it
   * in from `gmsaCredentialSpecName`.
   */
  gmsaCredentialSpec?: string;
  /** The name of the GMSACredentialSpec to use. */
  gmsaCredentialSpecName?: string;
  /**
   * Whether the container runs as a process of the node. All containers of a pod must agree, and `hostNetwork` must be
   * `true`.
   */
  hostProcess?: boolean;
  /** The Windows user of the container's first process, as `DOMAIN\user`. Without it, the image decides. */
  runAsUserName?: string;
}
