import type { Runnable } from '@pintle/async';
import { ownerReference } from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import { Namespace, Node } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime, formatTime } from '@pintle/machinery/time';
import type { Manager } from '@pintle/operator';

const LEASES = 'kube-node-lease';
const HEARTBEAT_MS = 10_000;
const LEASE_SECONDS = 40;

interface NodeDescription {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
  readonly podCidr: string;
  /** Address of the node itself. */
  readonly address: string;
  /** Container runtime version: `simulated://1`. */
  readonly runtime: string;
  readonly osImage: string;
}

/** Represents a node: registers it, reports it ready, and renews its lease. */
export class NodeAgent implements Runnable {
  readonly #manager: Manager;
  readonly #node: NodeDescription;

  constructor(manager: Manager, node: NodeDescription) {
    this.#manager = manager;
    this.#node = node;
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { clock, heartbeats, log } = this.#manager;
    while (!signal.aborted) {
      try {
        await this.#register();
        await this.#renewLease();
        await heartbeats.sleep(HEARTBEAT_MS, { signal });
      } catch (error) {
        if (signal.aborted) return;
        if (!isConflict(error)) log.warn('Cannot update node status', { node: this.#node.name, error: String(error) });
        await clock.sleep(1_000, { signal }).catch(() => undefined);
      }
    }
  }

  async #register(): Promise<void> {
    const { live } = this.#manager.client;
    const { name, annotations, podCidr } = this.#node;
    const found = await live.find(Node, { name });
    if (found?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    if (found === undefined) {
      const labels = {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
      };
      const metadata = { name, labels, annotations: { ...annotations } };
      await live
        .create(Node, { metadata, spec: { podCIDR: podCidr, podCIDRs: [podCidr] } })
        .catch(ignoring(isAlreadyExists));
    }
    await live.patch(
      Node,
      { name },
      { type: 'strategic', body: { status: this.#status() } },
      { subresource: 'status' },
    );
  }

  #status(): object {
    const time = formatTime(this.#manager.clock.now());
    const { name, capacity, address, runtime, osImage } = this.#node;
    const fine = (type: string, reason: string) => ({
      type,
      status: 'False',
      reason,
      message: reason,
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    });
    return {
      capacity,
      allocatable: capacity,
      conditions: [
        fine('MemoryPressure', 'KubeletHasSufficientMemory'),
        fine('DiskPressure', 'KubeletHasNoDiskPressure'),
        fine('PIDPressure', 'KubeletHasSufficientPID'),
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
          lastHeartbeatTime: time,
          lastTransitionTime: time,
        },
      ],
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: 'none',
        osImage,
        containerRuntimeVersion: runtime,
        kubeletVersion: 'v1.36.4',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    };
  }

  async #renewLease(): Promise<void> {
    const { live } = this.#manager.client;
    const renewTime = formatMicroTime(this.#manager.clock.now() * 1_000);
    const { name } = this.#node;
    const ref = { namespace: LEASES, name };
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
    try {
      await live.patch(Lease, ref, { type: 'merge', body: { spec } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await live.create(Namespace, { metadata: { name: LEASES } }).catch(ignoring(isAlreadyExists));
      const node = await live.get(Node, { name });
      const ownerReferences = [ownerReference(Node, node)];
      await live.create(Lease, { metadata: { ...ref, ownerReferences }, spec }).catch(ignoring(isAlreadyExists));
    }
  }
}
