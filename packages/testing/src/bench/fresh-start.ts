// Prints the cost of the first plane of a process.
function now(): { wallMs: number; cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000 };
}

function between(from: ReturnType<typeof now>, to: ReturnType<typeof now>): ReturnType<typeof now> {
  return { wallMs: to.wallMs - from.wallMs, cpuMs: to.cpuMs - from.cpuMs };
}

const begun = now();
const { startControlPlane } = await import('../index.ts');
const imported = now();
await using plane = await startControlPlane({ env: {} });
await plane.client.call({ method: 'GET', path: '/api/v1/namespaces/default/configmaps' });
const started = now();
process.stdout.write(JSON.stringify({ imported: between(begun, imported), started: between(imported, started) }));

export {};
