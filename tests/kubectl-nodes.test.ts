import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Kubectl } from './helpers/kubectl.ts';
import { kubectlFor } from './helpers/kubectl.ts';
import { startPintle, stopPintle } from './helpers/pintle.ts';

// A drain looks every 5 s, an autoscaler every 15 s, and each kubectl takes its time to start.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

interface Nodes extends AsyncDisposable {
  readonly kubectl: Kubectl;
}

/** A control plane with nodes that are ready, in a process of its own. */
async function openNodes(...args: string[]): Promise<Nodes> {
  const pintle = await startPintle('--memory', ...args);
  const kubectl = await kubectlFor(pintle.kubeconfig);
  await kubectl('wait --for=create serviceaccount/default --timeout=20s');
  await kubectl('wait --for=create node/node-0 --timeout=20s');
  await kubectl('wait --for=condition=Ready nodes --all --timeout=20s');
  return {
    kubectl,
    async [Symbol.asyncDispose]() {
      expect(await stopPintle(pintle)).toBe(0);
    },
  };
}

describe('On simulated nodes', () => {
  let nodes: Nodes;
  let kubectl: Kubectl;

  beforeAll(async () => {
    nodes = await openNodes('--nodes', '3');
    kubectl = nodes.kubectl;
  });

  afterAll(async () => await nodes[Symbol.asyncDispose]());

  test('a deployment is rolled out, paused, restarted, undone and scaled', async () => {
    await kubectl('create deployment web --image=web:1 --replicas=4');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('set image deployment/web web=web:2')).toContain('image updated');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('rollout history deployment/web')).toMatch(/REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>/);
    expect(await kubectl('rollout history deployment/web --revision=1')).toContain('web:1');
    expect(await kubectl('rollout undo deployment/web')).toContain('deployment.apps/web rolled back');
    await kubectl('rollout status deployment/web --timeout=20s');
    const image = 'jsonpath={.items[*].spec.containers[0].image}';
    const live = 'get pods -l app=web --field-selector=status.phase=Running';
    expect(await kubectl('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('web:1');
    expect(await kubectl('rollout restart deployment/web')).toContain('restarted');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('rollout history deployment/web')).toMatch(/\n2 +<none>\n3 +<none>\n4 +<none>/);
    expect(await kubectl('scale deployment/web --replicas=2')).toContain('deployment.apps/web scaled');
    await kubectl('wait --for=jsonpath={.status.replicas}=2 deployment/web --timeout=20s');
    expect(await kubectl(`${live} -o ${image}`)).toBe('web:1 web:1');
    await kubectl('rollout pause deployment/web');
    await kubectl('set image deployment/web web=web:3');
    await kubectl('rollout resume deployment/web');
    expect(await kubectl('rollout status deployment/web --timeout=20s')).toContain('successfully rolled out');
  });

  test('a node is drained as budgets allow, and takes pods again', async () => {
    await kubectl('create deployment shop --image=web:1 --replicas=4');
    await kubectl('rollout status deployment/shop --timeout=20s');
    await kubectl('create poddisruptionbudget shop --selector=app=shop --min-available=3');
    await kubectl('wait --for=jsonpath={.status.disruptionsAllowed}=1 pdb/shop --timeout=20s');
    expect(await kubectl('drain node-0 --timeout=20s')).toContain('node/node-0 drained');
    expect(await kubectl('get pods --field-selector=spec.nodeName=node-0 -o name')).toBe('');
    await kubectl('rollout status deployment/shop --timeout=20s');
    expect(await kubectl('get nodes')).toMatch(/node-0 +Ready,SchedulingDisabled/);
    expect(await kubectl('uncordon node-0')).toContain('uncordoned');
    await kubectl('scale deployment/shop --replicas=8');
    await kubectl('rollout status deployment/shop --timeout=20s');
    expect(await kubectl('get pods --field-selector=spec.nodeName=node-0 -o name')).toContain('pod/shop');
  });

  test('a deployment is scaled by what its pods use, and a job is made of a cron job', async () => {
    await kubectl('create deployment busy --image=web:1');
    await kubectl('set resources deployment/busy --requests=cpu=100m');
    await kubectl('rollout status deployment/busy --timeout=20s');
    const body = '{"spec":{"template":{"metadata":{"annotations":{"pintle.dev/cpu-usage":"200m"}}}}}';
    await kubectl(`patch deployment busy -p ${body}`);
    await kubectl('rollout status deployment/busy --timeout=20s');
    expect(await kubectl('autoscale deployment busy --min=1 --max=3 --cpu=50%')).toContain('autoscaled');
    await kubectl('wait --for=jsonpath={.status.desiredReplicas}=3 hpa/busy --timeout=40s');
    await kubectl('rollout status deployment/busy --timeout=20s');
    await kubectl('create cronjob nightly --image=job:1 --schedule=@yearly');
    expect(await kubectl('create job once --from=cronjob/nightly')).toBe('job.batch/once created\n');
    await kubectl('wait --for=condition=Complete job/once --timeout=20s');
    const owner = await kubectl('get job once -o jsonpath={.metadata.ownerReferences[0].name}');
    expect(owner).toBe('nightly');
    expect(await kubectl('logs job/once')).toBe('');
  });
});

test('a node that runs processes has their logs and runs commands beside them', async () => {
  await using nodes = await openNodes('--nodes', '1', '--kubelet', 'process');
  const { kubectl } = nodes;
  const pod = (name: string, spec: object): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  const command = ['sh', '-c', 'echo hello $WHO; exec sleep 1000'];
  const env = [{ name: 'WHO', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
  await kubectl('create -f -', pod('there', { containers: [{ name: 'app', image: 'x', command, env }] }));
  await kubectl('wait --for=condition=Ready pod/there --timeout=20s');
  expect(await kubectl('logs there')).toBe('hello there\n');
  expect(await kubectl('logs there --timestamps')).toMatch(/^\d{4}-.*Z hello there\n$/);
  expect(await kubectl('exec there -- printenv WHO')).toBe('there\n');
  expect(await kubectl('exec -i there -- cat', 'what I say')).toBe('what I say');
  await expect(kubectl('exec there -- false')).rejects.toThrow('command terminated with exit code 1');
  const failing = {
    restartPolicy: 'Never',
    containers: [{ name: 'app', image: 'x', command: ['sh', '-c', 'exit 7'] }],
  };
  await kubectl('create -f -', pod('fails', failing));
  await kubectl('wait --for=jsonpath={.status.phase}=Failed pod/fails --timeout=20s');
  const exitCode = '{.status.containerStatuses[0].state.terminated.exitCode}';
  expect(await kubectl(`get pod fails -o jsonpath=${exitCode}`)).toBe('7');
  await kubectl('delete pod there --grace-period=1 --timeout=20s');
  await kubectl('run bare --image=x --restart=Never -- echo');
  await kubectl('wait --for=jsonpath={.status.phase}=Failed pod/bare --timeout=20s');
  expect(await kubectl('logs bare')).toBe(
    'Cannot start container: nodes of --kubelet process run commands, not images; set its command\n',
  );
});
