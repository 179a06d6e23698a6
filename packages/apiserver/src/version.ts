/** Version of the Kubernetes API. Clients parse gitVersion as a semantic version. */
export const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.4+pintle',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'go1.26.0',
  compiler: 'gc',
  platform: 'linux/amd64',
} as const;
