/** As a person in a project calls this command. Without the flag, npx asks a registry for a name that is not ours. */
export const PINTLE = 'npx --no-install pintle';
