// Prints what the first plane of a process costs.
const beginMs = performance.now();
const { startControlPlane } = await import('../index.ts');
const importedMs = performance.now();
await using plane = await startControlPlane({ env: {} });
await plane.client.call({ method: 'GET', path: '/api/v1/namespaces/default/configmaps' });
const result = { importMs: importedMs - beginMs, startMs: performance.now() - importedMs };
process.stdout.write(JSON.stringify(result));

export {};
