import type { OpenApiSchema } from '@pintle/kinds/schemas';
import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';

/** Where the types of kinds are found. Definitions bring their own and leave the rest to the built-in one. */
export interface SchemaSource {
  /** The OpenAPI name of the type behind a kind, as `io.k8s.api.apps.v1.Deployment`. */
  typeNameOf(gvk: GroupVersionKind): string | undefined;
  /** The component schema of a type; references in it are `#/components/schemas/<name>`. Belongs to the caller. */
  schemaOf(typeName: string): OpenApiSchema | undefined;
}

/** The part of another server's OpenAPI 2 document about one version: its paths, and the types they refer to. */
export interface RemoteV2 {
  readonly paths: ReadonlyMap<string, JsonObject>;
  readonly definitions: ReadonlyMap<string, JsonObject>;
  readonly parameters: ReadonlyMap<string, JsonObject>;
}
