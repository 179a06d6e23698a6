// Records what a real kube-apiserver with the gate ShardedListAndWatch answers to shard selectors:
//   node scripts/record-shards.mjs https://127.0.0.1:6443 TOKEN
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { runShardScenario } from '../packages/kube-apiserver/dist/testing/shard-scenario.js';

const [server, token] = process.argv.slice(2);
const FILE = join(import.meta.dirname, '../packages/kube-apiserver/src/testdata/shards-of-kubernetes.json');

function send(method, target, body, accept = 'application/json') {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' };
    const sent = request(`${server}${target}`, { method, headers, rejectUnauthorized: false }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
      sent.emit('answered');
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
    send.last = sent;
  });
}

const uids = {};
const recorded = await runShardScenario({
  send,
  async watch(target, change) {
    const answer = send('GET', target);
    const { last } = send;
    // The response begins at once, or with its first event.
    await Promise.race([
      new Promise((resolve) => last.once('answered', resolve)),
      new Promise((resolve) => setTimeout(resolve, 1_000)),
    ]);
    await change();
    return await answer;
  },
  uids: {
    expect: () => undefined,
    created: (name, uid) => {
      uids[name] = uid;
    },
  },
});
writeFileSync(FILE, `${JSON.stringify({ version: 'v1.36.4', uids, recorded }, undefined, 2)}\n`);
console.log(`Recorded ${Object.keys(recorded.selectors).length} selectors and ${Object.keys(uids).length} objects`);
