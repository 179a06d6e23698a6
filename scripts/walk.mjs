// Records the files that five data paths enter in running programs, and writes docs/walks.md.
//
//   node scripts/walk.mjs            writes docs/walks.md
//   node scripts/walk.mjs --json     prints the lists instead
//
// Each path is walked several times after a warm-up; a file counts when every walk enters it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WALKS = 3;
const HERE = import.meta.dirname;
const RECORDER = ['--import', join(HERE, 'walk', 'recorder.mjs')];
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};

const data = mkdtempSync(join(tmpdir(), 'walk-'));
const server = start('server.mjs', data);

try {
  const [, kubeconfig] = await printed(server, /export KUBECONFIG=(\S+)[\s\S]*Press Ctrl-C to stop/);
  const api = connectTo(kubeconfig);
  const walks = { ...(await walkServer(api)), ...(await walkClient(api, kubeconfig)) };
  api.close();
  if (process.argv.includes('--json')) console.log(JSON.stringify(walks));
  else writeFileSync(join(HERE, '..', 'docs', 'walks.md'), page(walks));
} finally {
  server.kill();
  await once(server, 'close');
  rmSync(data, { recursive: true });
}

async function walkServer(api) {
  const maps = '/api/v1/namespaces/default/configmaps';
  const map = (name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { color: 'red' } });
  const things = '/apis/example.com/v1/namespaces/default/things';
  const thing = (name, size) => ({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name }, spec: { size } });
  const apply = (name, size) =>
    api.send('PATCH', `${things}/${name}?fieldManager=walk`, thing(name, size), 'application/apply-patch+yaml');
  await api.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION);
  await until(async () => (await api.send('GET', things)).status === 200);
  await api.send('POST', maps, map('map'));
  await apply('thing', 1);
  const watch = api.watch(
    `${maps}?watch=true&resourceVersion=${(await api.send('GET', maps)).body.metadata.resourceVersion}`,
  );
  await watch.opened;
  return {
    get: await walk(() => api.send('GET', `${maps}/map`)),
    create: await walk(async (run) => {
      const seen = watch.next();
      await api.send('POST', maps, map(`map-${run}`));
      await seen;
    }),
    apply: await walk((run) => apply('thing', run + 10)),
  };
}

/** Returns the files that every walk enters, in the order of the last. Ignores the first walk, which loads modules. */
async function walk(work) {
  const walks = [];
  for (let run = 0; run <= WALKS; run++) {
    await ask(server, { walk: 'begin', from: 'apiserver/src/http/' });
    await work(run);
    walks.push((await ask(server, { walk: 'end' })).files);
  }
  return common(walks.slice(1));
}

async function walkClient(api, kubeconfig) {
  const operator = start('operator.mjs', kubeconfig);
  const messages = [];
  operator.on('message', (message) => messages.push(message));
  const next = async (key) => {
    await until(() => messages.some((message) => key in message));
    return messages.splice(
      messages.findIndex((message) => key in message),
      1,
    )[0][key];
  };
  const informer = [await next('informer'), await next('informer'), await next('informer')];
  const reconcile = [];
  for (let run = 0; run <= WALKS; run++) {
    operator.send({ walk: 'begin', from: 'client/src/' });
    await next('walk');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `reconciled-${run}` }, data: { a: 'b' } };
    await api.send('POST', '/api/v1/namespaces/default/configmaps', object);
    reconcile.push(await next('reconcile'));
  }
  operator.kill();
  return { informer: common(informer.slice(1)), reconcile: common(reconcile.slice(1)) };
}

function common(walks) {
  return walks.at(-1).filter((file) => walks.every((files) => files.includes(file)));
}

function page({ get, create, apply, informer, reconcile }) {
  const section = (title, files) =>
    `## ${title}\n\n${files.length} files.\n\n\`\`\`text\n${files.map((file) => file.replace('/src/', '/')).join('\n')}\n\`\`\`\n`;
  return `# Five paths of data

The files that a path enters, in the order of first entry, as \`node scripts/walk.mjs\` recorded them in running programs: functions of
the compiled packages report when they are entered. Each path was walked ${WALKS} times after a warm-up; a file is listed when every
walk entered it. \`packages/\` and \`src/\` are left out. \`tests/walks.test.ts\` compares these lists with the code; run the script again
when it fails.

${section('GET of a ConfigMap over HTTP/2, on a connection that is open', get)}
${section('Durable CREATE of a ConfigMap, until a watch has the event', create)}
${section('Server-side apply of a custom resource that exists', apply)}
${section('Informer: from LIST to the first handler', informer)}
${section('Operator: from a watch event to the end of ctx.apply', reconcile)}`.replace(/\n+$/, '\n');
}

function start(program, ...args) {
  const child = fork(join(HERE, 'walk', program), args, {
    execArgv: RECORDER,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.text = '';
  child.stdout.on('data', (chunk) => {
    child.text += chunk;
  });
  return child;
}

async function printed(child, pattern) {
  await until(() => pattern.test(child.text) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`Cannot walk: the server exited with ${child.exitCode}: ${child.text}`);
  return pattern.exec(child.text);
}

async function ask(child, message) {
  child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

async function until(isSo) {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Opens one HTTP/2 connection with the client of Node.js. */
function connectTo(kubeconfig) {
  const text = readFileSync(kubeconfig, 'utf8');
  const pem = (key) => Buffer.from(new RegExp(`${key}: (\\S+)`).exec(text)[1], 'base64');
  const session = connect(/server: (\S+)/.exec(text)[1], {
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
  });
  // Requests report the error.
  session.on('error', () => {});
  const open = (method, path, type) =>
    session.request({
      ':method': method,
      ':path': path,
      accept: 'application/json',
      ...(type && { 'content-type': type }),
    });
  return {
    send: async (method, path, body, type = 'application/json') => {
      const stream = open(method, path, body && type);
      stream.end(body && JSON.stringify(body));
      const [[head], chunks] = await Promise.all([once(stream, 'response'), stream.toArray()]);
      const text = Buffer.concat(chunks).toString();
      const status = head[':status'];
      if (status >= 400 && method !== 'GET')
        throw new Error(`Cannot walk: ${method} ${path} answered ${status} ${text}`);
      return { status, body: status < 400 ? JSON.parse(text) : undefined };
    },
    watch: (path) => {
      const stream = open('GET', path);
      return { opened: once(stream, 'response'), next: () => once(stream, 'data') };
    },
    close: () => session.destroy(),
  };
}
