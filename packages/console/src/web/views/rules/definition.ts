import { useEffect, useState } from 'react';
import { may } from '../../api/access.ts';
import { api } from '../../api/http.ts';
import type { Kind } from '../../api/kinds.ts';
import { isBuiltIn, kindId } from '../../api/kinds.ts';
import { record, recordsIn } from '../../api/objects.ts';

type Raw = Readonly<Record<string, unknown>>;

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/** The schema in a kind's definition; `null` for built-in kinds, and when the user may not see the definition. */
export function useDefinedSchema(kind: Kind | undefined): Raw | null | undefined {
  const id = kind === undefined ? '' : kindId(kind);
  const [found, setFound] = useState<{ readonly id: string; readonly schema: Raw | null }>();
  useEffect(() => {
    let isCurrent = true;
    void definedSchema(kind)
      .catch(() => null)
      .then((schema) => isCurrent && setFound({ id, schema }));
    return () => {
      isCurrent = false;
    };
  }, [id]);
  return found?.id === id ? found.schema : undefined;
}

async function definedSchema(kind: Kind | undefined): Promise<Raw | null> {
  if (kind === undefined || isBuiltIn(kind)) return null;
  const name = kindId(kind);
  if (!(await may({ verb: 'get', kind: DEFINITIONS, name }))) return null;
  const definition = record(
    await api(`/apis/${DEFINITIONS.group}/v1/${DEFINITIONS.resource}/${encodeURIComponent(name)}`),
  );
  const version = recordsIn(record(definition?.spec)?.versions).find((each) => each.name === kind.version);
  return record(record(version?.schema)?.openAPIV3Schema) ?? null;
}
