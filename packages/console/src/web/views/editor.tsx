import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'react';
import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { ApiError, api, printJson, type StatusCause } from '../api/http.ts';
import { apiVersionOf, isSecret, type Kind, pathOf } from '../api/kinds.ts';
import type { Json, KubeObject } from '../api/objects.ts';
import { record } from '../api/objects.ts';
import { go } from '../state/router.ts';
import { yamlText } from '../text/yaml-lines.ts';
import { objectHref } from './list.tsx';

interface Props {
  readonly kind: Kind;
  readonly namespace: string;
  /** Absent for a new one. */
  readonly object?: KubeObject;
  readonly text?: string;
  readonly onDone: () => void;
}

const CHECK_MS = 350;
const colors = HighlightStyle.define([
  { tag: tags.propertyName, class: 'key' },
  { tag: tags.definition(tags.propertyName), class: 'key' },
  { tag: [tags.string, tags.content], class: 'string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'number' },
  { tag: tags.comment, class: 'comment' },
]);

/** Edits an object as YAML. Every pause in typing, the server says what it would make of it. */
export default function Editor({ kind, namespace, object, text, onDone }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const [problem, setProblem] = useState<string>();
  const [isGood, setGood] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const first = useRef(text ?? (object === undefined ? '' : editableText(object)));

  const submit = async (isDry: boolean, signal?: AbortSignal): Promise<KubeObject | undefined> => {
    const view = editor.current!;
    const source = view.state.doc.toString();
    const document = parseDocument(source, { intAsBigInt: true, version: '1.2', maxAliasCount: 0 } as never);
    if (document.errors.length > 0) {
      const found = document.errors.map(
        (error): Diagnostic => ({
          from: error.pos[0],
          to: Math.max(error.pos[0], error.pos[1]),
          severity: 'error',
          message: error.message.split('\n')[0]!,
        }),
      );
      view.dispatch(setDiagnostics(view.state, found));
      setProblem('That is no YAML.');
      setGood(false);
      return undefined;
    }
    try {
      const written = await write(kind, namespace, object, document.toJS({ maxAliasCount: 0 }) as Json, isDry, signal);
      view.dispatch(setDiagnostics(view.state, []));
      setProblem(undefined);
      setGood(true);
      return written;
    } catch (error) {
      if (signal?.aborted) return undefined;
      const failure = error instanceof ApiError ? error : new ApiError(0, String(error));
      view.dispatch(
        setDiagnostics(
          view.state,
          failure.causes.flatMap((cause) => diagnosticOf(cause, document, source)),
        ),
      );
      setProblem(failure.message);
      setGood(false);
      return undefined;
    }
  };

  useEffect(() => {
    let timer: number | undefined;
    let check: AbortController | undefined;
    const checkSoon = (): void => {
      window.clearTimeout(timer);
      check?.abort();
      setGood(false);
      timer = window.setTimeout(() => {
        check = new AbortController();
        void submit(true, check.signal);
      }, CHECK_MS);
    };
    const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
    editor.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          lintGutter(),
          yaml(),
          syntaxHighlighting(colors),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': 'YAML' }),
          EditorView.updateListener.of((update) => update.docChanged && checkSoon()),
        ],
      }),
    });
    editor.current.focus();
    return () => {
      window.clearTimeout(timer);
      check?.abort();
      editor.current?.destroy();
    };
  }, []);

  const apply = async (): Promise<void> => {
    setBusy(true);
    const written = await submit(false);
    setBusy(false);
    if (written === undefined) return;
    onDone();
    if (object === undefined)
      go(objectHref(kind, { namespace: written.metadata.namespace ?? '', name: written.metadata.name }));
  };
  return (
    <section className="editor">
      <div ref={place} />
      <footer>
        <p className={problem ? 'problem' : 'muted'} role="status">
          {problem ??
            (isGood ? 'The server would take this.' : 'Every pause is checked by the server; nothing is written.')}
        </p>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        <button type="button" className="primary" disabled={isBusy} onClick={() => void apply()}>
          {object === undefined ? 'Create' : 'Apply'}
        </button>
      </footer>
    </section>
  );
}

/** What a person may change: without what the server keeps. */
function editableText(object: KubeObject): string {
  const { managedFields: _fields, ...metadata } = object.metadata;
  const { status: _status, ...rest } = object;
  return yamlText({ ...rest, metadata } as unknown as Json);
}

/** An update names the version that was edited: nobody's change in between is lost. */
async function write(
  kind: Kind,
  namespace: string,
  object: KubeObject | undefined,
  value: Json,
  isDry: boolean,
  signal?: AbortSignal,
): Promise<KubeObject> {
  const written = record(value);
  const metadata = record(written?.metadata);
  if (metadata === undefined) throw new ApiError(0, 'An object has metadata.');
  const query = { fieldManager: 'pintle-console', fieldValidation: 'Strict', ...(isDry && { dryRun: 'All' }) };
  const options = { query, signal, isReveal: isSecret(kind) };
  if (object === undefined) {
    const target = kind.isNamespaced ? String(metadata.namespace ?? namespace ?? 'default') : '';
    return (await api(pathOf(kind, target || 'default'), {
      ...options,
      method: 'POST',
      body: printJson(value),
    })) as unknown as KubeObject;
  }
  const whole = object.status === undefined ? value : ({ ...(written as object), status: object.status } as Json);
  return (await api(pathOf(kind, namespace, object.metadata.name), {
    ...options,
    method: 'PUT',
    body: printJson(whole),
  })) as unknown as KubeObject;
}

/** Puts a refusal at the field that it is about, or at the nearest one around it. */
function diagnosticOf({ field = '', message = '' }: StatusCause, document: Document, source: string): Diagnostic[] {
  const path = [...field.matchAll(/[^.[\]]+/g)].map(([part]) =>
    /^\d+$/.test(part) ? Number(part) : part.replace(/^"|"$/g, ''),
  );
  let node: unknown = document.contents;
  let range: readonly [number, number] = [0, Math.max(0, source.indexOf('\n'))];
  for (const part of path) {
    const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === part) : undefined;
    if (pair !== undefined) {
      const key = pair.key as { range?: [number, number, number] };
      if (key.range) range = [key.range[0], key.range[1]];
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') node = node.items[part];
    else break;
    const own = (node as { range?: [number, number, number] } | null)?.range;
    if (own && isScalar(node)) range = [own[0], own[1]];
  }
  return [{ from: range[0], to: range[1], severity: 'error', message: `${field}: ${message}` }];
}

export function skeletonOf(kind: Kind, namespace: string): string {
  return yamlText({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: 'example', ...(kind.isNamespaced && { namespace: namespace || 'default' }) },
    ...(['ConfigMap', 'Secret'].includes(kind.kind) ? { data: {} } : { spec: {} }),
  });
}
