// Finds out which files five paths of data enter, on running programs, and writes docs/walks.md.
//
//   node scripts/walk.mjs            writes docs/walks.md
//   node scripts/walk.mjs --json     prints the lists instead
//
// Each path is walked several times after a warm-up; a file counts when every walk enters it. Small tools of the ground packages,
// which know nothing of requests and objects, are listed apart.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WALKS = 3;
/** Clocks, randomness, counters, and how errors, names and times are written. */
const PRIMITIVES = /^(?:async|metrics)\/|^machinery\/src\/(?:errors|meta|table|time)\//;
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
  const walks = mapValues({ ...(await walkServer(api)), ...(await walkClient(api, kubeconfig)) }, withPrimitivesApart);
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

/** Files that every walk enters, in the order of the last. The first walk is not counted: it loads. */
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

function withPrimitivesApart(files) {
  return {
    files: files.filter((file) => !PRIMITIVES.test(file)),
    primitives: files.filter((file) => PRIMITIVES.test(file)),
  };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function page({ get, create, apply, informer, reconcile }) {
  const block = (files) => `\`\`\`text\n${files.map((file) => file.replace('/src/', '/')).join('\n')}\n\`\`\`\n`;
  const section = (title, { files, primitives }) =>
    `## ${title}\n\n${files.length} files:\n\n${block(files)}\nand ${primitives.length} primitives:\n\n${block(primitives)}`;
  return `# Five paths of data

Lists the files that a path enters, in the order of first entry. \`node scripts/walk.mjs\` finds them on running programs, whose
functions report when they are entered. Each path was walked ${WALKS} times, warm, and a file is listed when every walk entered it.
Primitives are the files of \`async\` and \`metrics\`, and of \`errors\`, \`meta\`, \`table\` and \`time\` in \`machinery\`: small tools that know
nothing of requests and objects. \`packages/\` and \`src/\` are left out. \`tests/walks.test.ts\` compares these lists with a new
walk; when it fails, run the script again.

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
  if (child.exitCode !== null) throw new Error(`Cannot walk: the server ended with ${child.exitCode}: ${child.text}`);
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

/** One connection over HTTP/2, by Node's own client. */
function connectTo(kubeconfig) {
  const text = readFileSync(kubeconfig, 'utf8');
  const pem = (key) => Buffer.from(new RegExp(`${key}: (\\S+)`).exec(text)[1], 'base64');
  const session = connect(/server: (\S+)/.exec(text)[1], {
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
  });
  // Requests tell of it.
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
