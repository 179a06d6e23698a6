import type { Kind } from '../api/kinds.ts';
import { apiVersionOf, kindId } from '../api/kinds.ts';
import { go, hrefOf, usePlace } from '../state/router.ts';
import Editor from './editor.tsx';

export default function CreateView({ kind }: { kind: Kind }) {
  const { query } = usePlace();
  const namespace = query.ns ?? '';
  return (
    <article className="object">
      <header>
        <div>
          <h1>New {kind.kind}</h1>
          <p className="muted">{apiVersionOf(kind)}</p>
        </div>
      </header>
      <Editor kind={kind} namespace={namespace} onDone={() => go(hrefOf(['o', kindId(kind)]))} />
    </article>
  );
}
