/** Where a service can be reached from this process. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Finds what stands behind a service that a webhook or an aggregated API names. Rejects with an Error whose message says
 * what is missing, as Kubernetes words it: `service "web" not found`.
 */
export type ServiceResolver = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => Promise<ServiceAddress>;

/** For servers that know no services: every one is missing. */
export const noServices: ServiceResolver = async ({ name }) => {
  throw new Error(`service ${JSON.stringify(name)} not found`);
};
