import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';

/** Source of the schemas of kinds. That of definitions falls back to the built-in one. */
export interface SchemaSource {
  /** Returns the OpenAPI name of a kind's type, as `io.k8s.api.apps.v1.Deployment`. */
  typeNameOf(gvk: GroupVersionKind): string | undefined;
  /** Returns the component schema of a type, with references `#/components/schemas/<name>`. The caller may modify it. */
  schemaOf(typeName: string): OpenApiSchema | undefined;
}

/** Part of another server's OpenAPI 2 document about one version: its paths, and the types they refer to. */
export interface RemoteV2 {
  readonly paths: ReadonlyMap<string, JsonObject>;
  readonly definitions: ReadonlyMap<string, JsonObject>;
  readonly parameters: ReadonlyMap<string, JsonObject>;
}
