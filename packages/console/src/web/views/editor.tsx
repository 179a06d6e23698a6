import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, api, printJson } from '../api/http.ts';
import { apiVersionOf, isSecret, type Kind, pathOf } from '../api/kinds.ts';
import type { Json, KubeObject } from '../api/objects.ts';
import { jsonOf, objectIn, record } from '../api/objects.ts';
import { type FieldSchema, schemaOf } from '../api/schemas.ts';
import { adjust, go, usePlace } from '../state/router.ts';
import { type FieldPath, type Problem, parseYaml, problemsOf, readValueOf, withField } from '../text/edited-yaml.ts';
import { yamlText } from '../text/yaml-lines.ts';
import { Form } from './form/form.tsx';
import { objectHref } from './list.tsx';

const YamlEditor = lazy(() => import('./yaml-editor.tsx'));

interface Props {
  readonly kind: Kind;
  readonly namespace: string;
  /** Absent for a new object. */
  readonly object?: KubeObject;
  readonly onDone: () => void;
}

/** Result of the last check of a text by the server. */
interface Verdict {
  readonly text: string;
  readonly message?: string;
  readonly problems: readonly Problem[];
}

const CHECK_MS = 350;

/**
 * Edits an object as a form or as YAML. Both edit the same text, so switching loses nothing. After each pause, a dry run
 * shows what the server would say.
 */
export default function Editor(props: Props) {
  const schema = useSchema(props.kind);
  return schema === undefined ? <div className="loading" /> : <EditorOf {...props} schema={schema} />;
}

function EditorOf({ kind, namespace, object, onDone, schema }: Props & { schema: FieldSchema | null }) {
  const { query } = usePlace();
  const [text, setText] = useState(() =>
    object === undefined ? skeletonOf(kind, namespace, schema) : editableText(object),
  );
  const [verdict, setVerdict] = useState<Verdict>();
  const [isBusy, setBusy] = useState(false);
  const [hasChanged, setChanged] = useState(false);
  const mode = query.as ?? (object === undefined && schema !== null ? 'form' : 'yaml');
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => {
    if (!hasChanged) return;
    const check = new AbortController();
    const timer = window.setTimeout(() => void submit(text, true, check.signal), CHECK_MS);
    return () => {
      window.clearTimeout(timer);
      check.abort();
    };
  }, [text, hasChanged]);

  const submit = async (source: string, isDry: boolean, signal?: AbortSignal): Promise<KubeObject | undefined> => {
    const document = parseYaml(source);
    if (document.errors.length > 0) {
      setVerdict({ text: source, message: 'The text is not valid YAML.', problems: [] });
      return undefined;
    }
    try {
      const written = await write({ kind, namespace, object, value: readValueOf(document), isDry, signal });
      setVerdict({ text: source, problems: [] });
      return written;
    } catch (error) {
      if (signal?.aborted) return undefined;
      const failure = error instanceof ApiError ? error : new ApiError(0, String(error));
      setVerdict({ text: source, message: failure.message, problems: problemsOf(failure.causes) });
      return undefined;
    }
  };
  const edit = (next: string): void => {
    latest.current = next;
    setText(next);
    setChanged(true);
  };
  const apply = async (): Promise<void> => {
    setBusy(true);
    const written = await submit(text, false);
    setBusy(false);
    if (written === undefined) return;
    onDone();
    if (object !== undefined) return;
    const { name, namespace: target = '' } = written.metadata;
    go(objectHref(kind, { namespace: target, name }));
  };
  return (
    <section className="editor">
      {schema !== null && (
        <div className="modes" role="tablist" aria-label="Edit as">
          {(['form', 'yaml'] as const).map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={mode === each}
              onClick={() => adjust({ as: each })}
            >
              {each === 'form' ? 'Form' : 'YAML'}
            </button>
          ))}
        </div>
      )}
      {mode === 'form' && schema !== null ? (
        <FormOfText
          text={text}
          schema={schema}
          isNew={object === undefined}
          problems={verdict?.problems ?? []}
          onEdit={(path, value) => edit(withField(latest.current, path, value))}
        />
      ) : (
        <Suspense fallback={<div className="loading" />}>
          <YamlEditor text={text} problems={verdict?.text === text ? verdict.problems : []} onChange={edit} />
        </Suspense>
      )}
      <footer>
        <p className={verdict?.message ? 'problem' : 'muted'} role="status">
          {verdict === undefined || verdict.text !== text
            ? 'The server checks the object after each pause; nothing is written before you apply.'
            : (verdict.message ?? 'The server would accept this.')}
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

interface FormOfTextProps {
  readonly text: string;
  readonly schema: FieldSchema;
  readonly isNew: boolean;
  readonly problems: readonly Problem[];
  readonly onEdit: (path: FieldPath, value: Json | undefined) => void;
}

function FormOfText({ text, ...rest }: FormOfTextProps) {
  const parsed = useMemo(() => {
    const document = parseYaml(text);
    try {
      return document.errors.length > 0 ? undefined : record(readValueOf(document) ?? {});
    } catch {
      return undefined;
    }
  }, [text]);
  if (parsed === undefined)
    return <p className="problem pad">The text is not a YAML object. Correct it as YAML first.</p>;
  return <Form value={parsed} {...rest} />;
}

/** Returns `undefined` while the schema is loaded, and `null` where the server has none. */
function useSchema(kind: Kind): FieldSchema | null | undefined {
  const [schema, setSchema] = useState<FieldSchema | null>();
  useEffect(() => {
    let isCurrent = true;
    schemaOf(kind)
      .catch(() => undefined)
      .then((found) => isCurrent && setSchema(found ?? null));
    return () => {
      isCurrent = false;
    };
  }, [kind]);
  return schema;
}

/** Leaves out the fields that only the server writes. */
function editableText(object: KubeObject): string {
  const { managedFields: _fields, ...metadata } = object.metadata;
  const { status: _status, ...rest } = object;
  return yamlText(jsonOf({ ...rest, metadata }));
}

interface Write {
  readonly kind: Kind;
  readonly namespace: string;
  readonly object: KubeObject | undefined;
  readonly value: Json;
  readonly isDry: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Creates an object, or updates the version that was edited: changes by others in between are a conflict. */
async function write({ kind, namespace, object, value, isDry, signal }: Write): Promise<KubeObject> {
  const written = record(value);
  const metadata = record(written?.metadata);
  if (metadata === undefined) throw new ApiError(0, 'The object has no metadata.');
  const query = { fieldManager: 'pintle-console', fieldValidation: 'Strict', ...(isDry && { dryRun: 'All' }) };
  const options = { query, signal, isReveal: isSecret(kind) };
  if (object === undefined) {
    const target = kind.isNamespaced ? String(metadata.namespace ?? namespace ?? 'default') : '';
    const path = pathOf(kind, target || 'default');
    return objectIn(await api(path, { ...options, method: 'POST', body: printJson(value) }));
  }
  const whole = object.status === undefined ? value : ({ ...(written as object), status: object.status } as Json);
  const path = pathOf(kind, namespace, object.metadata.name);
  return objectIn(await api(path, { ...options, method: 'PUT', body: printJson(whole) }));
}

function skeletonOf(kind: Kind, namespace: string, schema: FieldSchema | null): string {
  const hasSpec = schema === null || schema.properties.has('spec');
  return yamlText({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: 'example', ...(kind.isNamespaced && { namespace: namespace || 'default' }) },
    ...(hasSpec ? { spec: {} } : {}),
  });
}
