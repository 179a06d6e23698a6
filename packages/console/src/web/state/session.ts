import type { Login, SessionInfo } from '../../protocol.ts';
import { PATHS } from '../../protocol.ts';
import { ApiError, onSignedOut, send } from '../api/http.ts';
import { record } from '../api/objects.ts';
import { pause } from './pause.ts';
import { Store } from './store.ts';

export interface SessionState {
  readonly info: SessionInfo | undefined;
  /** Why a log-in failed. */
  readonly problem?: string;
}

const RETRY_MS = 1_000;
const LOGIN_ATTEMPTS = 3;

export const session = new Store<SessionState>({ info: undefined });

onSignedOut.add(() => {
  const { info } = session.get();
  if (info?.user !== undefined) session.set({ info: { server: info.server, hasTelemetry: info.hasTelemetry } });
});

/** Logs in by the link in the address, which is taken out of it first, or finds out who is logged in. */
export async function openSession(): Promise<void> {
  const link = /^#link=([\w-]+)$/.exec(location.hash)?.[1];
  if (link === undefined) return await refresh();
  history.replaceState(null, '', location.pathname + location.search);
  await logIn({ link });
}

export async function logIn(login: Login): Promise<void> {
  try {
    session.set({ info: await infoIn(await sendLogin(JSON.stringify(login))) });
  } catch (error) {
    const problem = error instanceof ApiError ? error.message : String(error);
    await refresh();
    // The user of a link that was used before may be logged in already.
    if (session.get().info?.user === undefined) session.set({ ...session.get(), problem });
  }
}

/** Tries again when there was no response; a link that was used meanwhile is refused. */
async function sendLogin(body: string): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(PATHS.session, { method: 'POST', body });
    } catch (error) {
      if (attempt === LOGIN_ATTEMPTS || !(error instanceof ApiError) || error.status !== 0) throw error;
      await pause(RETRY_MS);
    }
  }
}

export async function logOut(): Promise<void> {
  const response = await send(PATHS.session, { method: 'DELETE' });
  session.set({ info: await infoIn(response) });
}

/** Finds out who is logged in; tries until the server answers. */
async function refresh(): Promise<void> {
  for (;;) {
    const response = await send(PATHS.session).catch(() => undefined);
    if (response !== undefined) return session.set({ info: await infoIn(response) });
    session.set({ info: undefined, problem: 'The server does not answer.' });
    await pause(RETRY_MS);
  }
}

/** Reads what the console's own server says. */
async function infoIn(response: Response): Promise<SessionInfo> {
  const { user, server, hasTelemetry } = record(await response.json()) ?? {};
  const { username, groups } = record(user) ?? {};
  const { host, version } = record(server) ?? {};
  return {
    ...(typeof username === 'string' && {
      user: { username, groups: Array.isArray(groups) ? groups.map(String) : [] },
    }),
    server: { host: String(host ?? ''), version: String(version ?? '') },
    hasTelemetry: hasTelemetry === true,
  };
}
