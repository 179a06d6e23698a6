import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

/** Whether a URL answers 200. `authority`: who signed the server's certificate, in PEM. */
export function isHealthy(url: string, authority?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { agent: false, ...(authority !== undefined && { ca: authority }) } as const;
    const get = url.startsWith('https:') ? getHttps : getHttp;
    const request = get(url, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
