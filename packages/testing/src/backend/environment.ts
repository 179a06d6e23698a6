export type Environment = Readonly<Record<string, string | undefined>>;

/** Server that a suite runs on, chosen by the environment variables of controller-runtime's envtest. */
export type Choice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'existing cluster' }
  | { readonly kind: 'binaries'; readonly etcd: string; readonly apiServer: string; readonly timeoutMs: number };

const START_TIMEOUT_MS = 20_000;

export function chooseBackend(env: Environment): Choice {
  if (/^(?:1|t|true)$/i.test(env.USE_EXISTING_CLUSTER ?? '')) return { kind: 'existing cluster' };
  const folder = env.KUBEBUILDER_ASSETS;
  const etcd = env.TEST_ASSET_ETCD ?? (folder && `${folder}/etcd`);
  const apiServer = env.TEST_ASSET_KUBE_APISERVER ?? (folder && `${folder}/kube-apiserver`);
  if (!etcd || !apiServer) return { kind: 'memory' };
  return { kind: 'binaries', etcd, apiServer, timeoutMs: timeoutOf(env.KUBEBUILDER_CONTROLPLANE_START_TIMEOUT) };
}

/** Reads a timeout such as `20s`. */
function timeoutOf(text: string | undefined): number {
  const seconds = /^(\d+)s$/.exec(text ?? '')?.[1];
  return seconds === undefined ? START_TIMEOUT_MS : Number(seconds) * 1_000;
}
