import { type FormEvent, useState } from 'react';
import { Mark } from '../parts/small.tsx';
import { logIn, session } from '../state/session.ts';
import { useStore } from '../state/store.ts';

export function LoginView() {
  const { info, problem } = useStore(session);
  const [token, setToken] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void logIn({ token: token.trim() });
    setToken('');
  };
  return (
    <main className="login">
      <Mark />
      <h1>Pintle</h1>
      <p className="where">
        {info?.server.host} · {info?.server.version}
      </p>
      <p>
        Open the link that <code>pintle up</code> printed, or get a new one:
      </p>
      <pre>pintle console</pre>
      <form onSubmit={submit}>
        <label htmlFor="token">or paste a bearer token</label>
        <div>
          <input
            id="token"
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
          <button type="submit" className="primary" disabled={token.trim() === ''}>
            Log in
          </button>
        </div>
      </form>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </main>
  );
}
