import type { Runnable } from '@pintle/async';
import { Lease } from '@pintle/kinds/coordination/v1';
import { Namespace, Node } from '@pintle/kinds/core/v1';
import { isAlreadyExists, isConflict, isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime, formatTime } from '@pintle/machinery/time';
import type { Manager } from '@pintle/operator';

const LEASES = 'kube-node-lease';
const HEARTBEAT_MS = 10_000;
const LEASE_SECONDS = 40;
export const SIMULATED = 'pintle.dev/simulated';

/** A node without a machine: it registers, says that it is ready, and keeps saying that it lives. */
export class SimulatedNode implements Runnable {
  readonly name: string;
  readonly #manager: Manager;
  readonly #index: number;

  constructor(manager: Manager, index: number) {
    this.#manager = manager;
    this.#index = index;
    this.name = `node-${index}`;
  }

  /** What its pods' addresses begin with. */
  get subnet(): string {
    return `10.244.${this.#index % 256}`;
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { clock, log } = this.#manager;
    while (!signal.aborted) {
      try {
        await this.#register();
        await this.#beat();
        await clock.sleep(HEARTBEAT_MS, { signal });
      } catch (error) {
        if (signal.aborted) return;
        if (!isConflict(error))
          log.warn('A simulated node could not report', { node: this.name, error: String(error) });
        await clock.sleep(1_000, { signal }).catch(() => undefined);
      }
    }
  }

  async #register(): Promise<void> {
    const { live } = this.#manager.client;
    const found = await live.find(Node, { name: this.name });
    if (found?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    if (found === undefined) {
      const labels = {
        'kubernetes.io/hostname': this.name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
      };
      const metadata = { name: this.name, labels, annotations: { [SIMULATED]: 'true' } };
      await live.create(Node, { metadata, spec: { podCIDR: `${this.subnet}.0/24` } }).catch(ignoreExisting);
    }
    await live.patch(
      Node,
      { name: this.name },
      { type: 'strategic', body: { status: this.#status() } },
      { subresource: 'status' },
    );
  }

  #status(): object {
    const time = formatTime(this.#manager.clock.now());
    const capacity = { cpu: '8', memory: '32Gi', pods: '500', 'ephemeral-storage': '100Gi' };
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
          message: 'simulated',
          lastHeartbeatTime: time,
          lastTransitionTime: time,
        },
      ],
      addresses: [
        { type: 'InternalIP', address: `192.0.2.${(this.#index % 250) + 1}` },
        { type: 'Hostname', address: this.name },
      ],
      nodeInfo: {
        machineID: '',
        systemUUID: '',
        bootID: '',
        kernelVersion: 'none',
        osImage: 'simulated',
        containerRuntimeVersion: 'simulated://1',
        kubeletVersion: 'v1.36.4',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    };
  }

  async #beat(): Promise<void> {
    const { live } = this.#manager.client;
    const renewTime = formatMicroTime(this.#manager.clock.now() * 1_000);
    const ref = { namespace: LEASES, name: this.name };
    const spec = { holderIdentity: this.name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
    try {
      await live.patch(Lease, ref, { type: 'merge', body: { spec } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await live.create(Namespace, { metadata: { name: LEASES } }).catch(ignoreExisting);
      await live.create(Lease, { metadata: ref, spec }).catch(ignoreExisting);
    }
  }
}

function ignoreExisting(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
