import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

/** A column of the table that `kubectl get` shows for a custom resource. */
export interface CustomResourceColumnDefinition {
  /** An explanation of the column for people. */
  description?: string;
  /** How the value is to be read, such as `int64`, `date-time` or `name`, which marks the object's main identifier. */
  format?: string;
  /** The JSONPath of the value in the object, as `.spec.replicas`. */
  jsonPath: string;
  /** The heading of the column. */
  name: string;
  /** How important the column is. Columns above 0 are shown only in wide tables. */
  priority?: number;
  /** The type of the value, one of `integer`, `number`, `string`, `boolean` and `date`. */
  type: string;
}

/** How objects are converted between the versions of a custom resource. */
export interface CustomResourceConversion {
  /** The way of conversion. `None` changes only `apiVersion`, `Webhook` asks a webhook. */
  strategy: string;
  /** The webhook that converts objects. It is required if `strategy` is `Webhook`. */
  webhook?: WebhookConversion;
}

/** Adds a resource to the API. Its name is `PLURAL.GROUP`. */
export interface CustomResourceDefinition extends KubernetesObject {
  /** The names, versions and schemas of the resource. */
  spec: CustomResourceDefinitionSpec;
  /** Whether the resource is served, under which names, and in which versions objects are stored. */
  status?: CustomResourceDefinitionStatus;
}
export const CustomResourceDefinition: ResourceType<CustomResourceDefinition, 'Cluster'> = /* @__PURE__ */ resourceType<CustomResourceDefinition, 'Cluster'>({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', plural: 'customresourcedefinitions', scope: 'Cluster', shortNames: ['crd', 'crds'], categories: ['api-extensions'] });

/** An observation about the state of a custom resource. */
export interface CustomResourceDefinitionCondition {
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The `metadata.generation` that the condition was derived from. */
  observedGeneration?: number;
  /** The reason of the last change as a CamelCase word. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `Established`. */
  type: string;
}

/** A list of CustomResourceDefinitions. */
export type CustomResourceDefinitionList = KubernetesList<CustomResourceDefinition>;

/** The names of a custom resource and its kind. They must not collide with those of other resources of the group. */
export interface CustomResourceDefinitionNames {
  /** Names of groups of resources that it belongs to, such as `all`, which `kubectl get` understands. */
  categories?: string[];
  /** The kind of the objects, in CamelCase and usually singular. It cannot change once the resource is established. */
  kind: string;
  /** The kind of lists of the objects. The server sets `kind` followed by `List` if it is absent. */
  listKind?: string;
  /** The plural name under which the resource is served, in lower case. It cannot change after creation. */
  plural: string;
  /** Abbreviations for use at the command line, in lower case. */
  shortNames?: string[];
  /**
   * The singular name for use at the command line, in lower case. The server sets `kind` in lower case if it is
   * absent.
   */
  singular?: string;
}

/** The names, versions and schemas of a custom resource. */
export interface CustomResourceDefinitionSpec {
  /** How objects are converted between versions. Without it, the server changes only `apiVersion`. */
  conversion?: CustomResourceConversion;
  /** The API group of the resource, a domain name such as `example.com`. It cannot change after creation. */
  group: string;
  /** The names of the resource and its kind. */
  names: CustomResourceDefinitionNames;
  /**
   * Whether fields that no schema mentions are kept. It must be `false` in new definitions.
   * @deprecated Use `x-kubernetes-preserve-unknown-fields` in the schema instead.
   */
  preserveUnknownFields?: boolean;
  /**
   * Whether objects live in namespaces, either `Namespaced` or `Cluster`. It cannot change once the resource is
   * established.
   */
  scope: string;
  /** The versions of the resource, in no particular order. Exactly one of them is stored. */
  versions: CustomResourceDefinitionVersion[];
}

/** Whether a custom resource is served, and how. */
export interface CustomResourceDefinitionStatus {
  /** The names under which the resource is served. They can differ from those in `spec` while names collide. */
  acceptedNames?: CustomResourceDefinitionNames;
  /** Observations such as `NamesAccepted`, `Established` and `Terminating`. */
  conditions?: CustomResourceDefinitionCondition[];
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
  /**
   * All versions in which objects were ever stored. A version can be removed from `spec` once all objects are stored
   * anew and it is removed here.
   */
  storedVersions?: string[];
}

/** One version of a custom resource. */
export interface CustomResourceDefinitionVersion {
  /** Columns of the table that `kubectl get` shows. Without any, the name and the age are shown. */
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  /** Whether clients that use the version get a warning. */
  deprecated?: boolean;
  /** The text of the warning, at most 256 printable characters. It needs `deprecated`; without it the server makes one. */
  deprecationWarning?: string;
  /** The name of the version, such as `v1` or `v2beta1`. Versions in this form sort by their stability and number. */
  name: string;
  /** The schema with which objects are checked, pruned and defaulted. */
  schema?: CustomResourceValidation;
  /** Fields by which lists and watches can be filtered, at most 8. */
  selectableFields?: SelectableField[];
  /** Whether the version is offered by the API. */
  served: boolean;
  /** Whether objects are stored in this version. It is true for exactly one version. */
  storage: boolean;
  /** The subresources that objects of the version have. */
  subresources?: CustomResourceSubresources;
}

/** Where the subresource `scale` finds its numbers in an object. */
export interface CustomResourceSubresourceScale {
  /** The path below `.spec` or `.status` of the selector of the object's pods, as text. Autoscalers need it. */
  labelSelectorPath?: string;
  /** The path below `.spec` of the wanted number of replicas, in dot notation. An object must have it to be scaled. */
  specReplicasPath: string;
  /** The path below `.status` of the actual number of replicas, in dot notation. If there is none, the number is 0. */
  statusReplicasPath: string;
}

/** Enables the subresource `status` of a custom resource. It has no settings. */
export interface CustomResourceSubresourceStatus {}

/** The subresources of a custom resource. */
export interface CustomResourceSubresources {
  /** The subresource `scale`, through which `kubectl scale` and autoscalers work. */
  scale?: CustomResourceSubresourceScale;
  /**
   * The subresource `status`. With it, updates of the object ignore its status and updates of `status` ignore the
   * rest.
   */
  status?: CustomResourceSubresourceStatus;
}

/** How objects of a custom resource are checked. */
export interface CustomResourceValidation {
  /** The schema of the objects. It must be structural, so that every field has a type. */
  openAPIV3Schema?: JSONSchemaProps;
}

/** Where more documentation is found. */
export interface ExternalDocumentation {
  /** An explanation of what is found there. */
  description?: string;
  /** The address of the documentation. */
  url?: string;
}

/** Any JSON value. */
export type JSON = JsonValue;

/** A JSON schema as OpenAPI 3.0 has it, with extensions for Kubernetes. */
export interface JSONSchemaProps {
  /** A reference to another schema. It is not allowed in structural schemas. */
  '$ref'?: string;
  /** The dialect that the schema is written in. It is not allowed in structural schemas. */
  '$schema'?: string;
  /** The schema of items beyond those that `items` lists. It is not allowed in structural schemas. */
  additionalItems?: JSONSchemaPropsOrBool;
  /** The schema of all properties that are not named, which makes the object a map. It excludes `properties`. */
  additionalProperties?: JSONSchemaPropsOrBool;
  /** Schemas that the value must all match. Inside, only checks are allowed, no types. */
  allOf?: JSONSchemaProps[];
  /** Schemas of which the value must match at least one. Inside, only checks are allowed, no types. */
  anyOf?: JSONSchemaProps[];
  /** The value that the server sets if the field is absent. It must itself match the schema. */
  default?: JSON;
  /** Schemas for reference by name. They are not allowed in structural schemas. */
  definitions?: Record<string, JSONSchemaProps>;
  /** Says what must hold if a property is present. It is not allowed in structural schemas. */
  dependencies?: Record<string, JSONSchemaPropsOrStringArray>;
  /** An explanation of the value for people, which `kubectl explain` shows. */
  description?: string;
  /** The values that are allowed. */
  enum?: JSON[];
  /** An example of a value. It has no effect. */
  example?: JSON;
  /** Whether the value must be below `maximum` rather than at most that. */
  exclusiveMaximum?: boolean;
  /** Whether the value must be above `minimum` rather than at least that. */
  exclusiveMinimum?: boolean;
  /** Where more documentation is found. */
  externalDocs?: ExternalDocumentation;
  /** The form of a text or number, such as `date-time`, `int32` or `byte`. Unknown formats are ignored. */
  format?: string;
  /** An identifier of the schema. It is not allowed in structural schemas. */
  id?: string;
  /** The schema of the items of a list. */
  items?: JSONSchemaPropsOrArray;
  /** How many items a list may have at most. */
  maxItems?: number;
  /** How many characters a text may have at most. */
  maxLength?: number;
  /** How many properties an object may have at most. */
  maxProperties?: number;
  /** The largest number that is allowed. */
  maximum?: number;
  /** How many items a list must have at least. */
  minItems?: number;
  /** How many characters a text must have at least. */
  minLength?: number;
  /** How many properties an object must have at least. */
  minProperties?: number;
  /** The smallest number that is allowed. */
  minimum?: number;
  /** A number of which the value must be a multiple. */
  multipleOf?: number;
  /** A schema that the value must not match. Inside, only checks are allowed, no types. */
  not?: JSONSchemaProps;
  /** Whether the value may be `null`. A `null` where it is not allowed gives way to the default, if there is one. */
  nullable?: boolean;
  /** Schemas of which the value must match exactly one. Inside, only checks are allowed, no types. */
  oneOf?: JSONSchemaProps[];
  /** A regular expression that must match somewhere in a text. */
  pattern?: string;
  /** Schemas of properties by patterns of their names. They are not allowed in structural schemas. */
  patternProperties?: Record<string, JSONSchemaProps>;
  /** The schemas of the named properties of an object. */
  properties?: Record<string, JSONSchemaProps>;
  /** The names of properties that an object must have. */
  required?: string[];
  /** A short name of the value for people. */
  title?: string;
  /** The type of the value, one of `object`, `array`, `string`, `integer`, `number` and `boolean`. */
  type?: string;
  /** Whether all items of a list must differ. It must not be `true`; use `x-kubernetes-list-type` instead. */
  uniqueItems?: boolean;
  /** Whether the value is a whole Kubernetes object, whose `apiVersion`, `kind` and `metadata` are checked. */
  'x-kubernetes-embedded-resource'?: boolean;
  /** Whether the value may be a whole number or a text. No type is given then. */
  'x-kubernetes-int-or-string'?: boolean;
  /** The properties by which items of a list of type `map` are told apart. */
  'x-kubernetes-list-map-keys'?: string[];
  /**
   * How a list is merged, `atomic` if nothing is given. `atomic` replaces it as a whole, `set` merges distinct
   * scalars, `map` merges objects by their keys.
   */
  'x-kubernetes-list-type'?: string;
  /**
   * How an object is merged, either `granular` property by property or `atomic` as a whole. Without it, `granular`
   * applies.
   */
  'x-kubernetes-map-type'?: string;
  /** Whether fields that the schema does not mention are kept at this place. Only `true` is allowed. */
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  /** Rules in the Common Expression Language that the value must fulfil. */
  'x-kubernetes-validations'?: ValidationRule[];
}

/** A schema, or a list of schemas. Structural schemas allow only one schema. */
export type JSONSchemaPropsOrArray = JSONSchemaProps | JSONSchemaProps[];

/** A schema, or `true` for any value or `false` for none. */
export type JSONSchemaPropsOrBool = JSONSchemaProps | boolean;

/** A schema, or a list of property names. */
export type JSONSchemaPropsOrStringArray = JSONSchemaProps | string[];

/** A field by which lists and watches of a custom resource can be filtered. */
export interface SelectableField {
  /**
   * The simple path of the field, as `.spec.color`. It must lead to a text, a whole number or a boolean outside
   * `.metadata`.
   */
  jsonPath: string;
}

/** A service that leads to a webhook. */
export interface ServiceReference {
  /** The name of the service. */
  name: string;
  /** The namespace of the service. */
  namespace: string;
  /** The path of the request at the webhook. */
  path?: string;
  /**
   * The port of the service, 1 to 65535.
   * @default 443
   */
  port?: number;
}

/** A rule in the Common Expression Language that a value must fulfil. */
export interface ValidationRule {
  /**
   * The path, relative to the value, of the field that the error names, as `.spec.replicas`. It must exist in the
   * schema.
   */
  fieldPath?: string;
  /** The text of the error, on one line. It is required if the rule has several lines. */
  message?: string;
  /** An expression that makes the text of the error and wins over `message`. If it fails, `message` is used. */
  messageExpression?: string;
  /** Whether a rule that uses `oldSelf` also runs when there is no old value. Then `oldSelf` is an optional. */
  optionalOldSelf?: boolean;
  /**
   * The sort of error that clients see. Without it, `FieldValueInvalid` applies.
   * - `FieldValueInvalid`: The value is wrong.
   * - `FieldValueForbidden`: The value may not be given.
   * - `FieldValueRequired`: A value is missing.
   * - `FieldValueDuplicate`: The value occurs twice.
   */
  reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired';
  /**
   * The expression, which is true for valid values. `self` is the value, and `oldSelf` the former one if the object is
   * updated.
   */
  rule: string;
}

/** Where a webhook is reached. Exactly one of `url` and `service` is given. */
export interface WebhookClientConfig {
  /**
   * The certificates that may have signed that of the webhook, in PEM and base64. Without it, the server trusts those
   * of its system.
   */
  caBundle?: string;
  /** The service that leads to the webhook. */
  service?: ServiceReference;
  /** The address of the webhook, as `https://HOST:PORT/PATH`, without user, query and fragment. */
  url?: string;
}

/** The webhook that converts objects. */
export interface WebhookConversion {
  /** Where the webhook is reached. */
  clientConfig?: WebhookClientConfig;
  /**
   * The versions of ConversionReview that the webhook understands, in its order of preference. The server uses the
   * first that it knows.
   */
  conversionReviewVersions: string[];
}
