import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';

/**
 * An operator on `@kubernetes/client-node`: each ConfigMap with the label `database` gets a Secret and a ConfigMap with its address. Unless
 * `MENDED` is set, it takes the Secret as the sign that both were created.
 */
const isMended = process.env.MENDED === 'true';
const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);
const namespace = 'default';
const labelSelector = 'database';

/** Objects to reconcile, one at a time. */
let last = Promise.resolve();
const enqueue = (object) => {
  last = last.then(() => reconcile(object)).catch(() => setTimeout(() => enqueue(object), 100));
};

async function reconcile({ metadata: { name, uid } }) {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
  const child = (suffix) => ({ metadata: { name: `${name}-${suffix}`, ownerReferences } });
  const exists = async (read) => {
    try {
      await read();
      return true;
    } catch (error) {
      if (error.code === 404) return false;
      throw error;
    }
  };
  if (!(await exists(() => api.readNamespacedSecret({ namespace, name: `${name}-login` }))))
    await api.createNamespacedSecret({ namespace, body: child('login') });
  else if (!isMended) return;
  if (!(await exists(() => api.readNamespacedConfigMap({ namespace, name: `${name}-address` }))))
    await api.createNamespacedConfigMap({ namespace, body: child('address') });
}

const list = () => api.listNamespacedConfigMap({ namespace, labelSelector });
const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector);
informer.on('add', enqueue);
informer.on('update', enqueue);
informer.on('error', () => setTimeout(() => informer.start(), 100));
await informer.start();
