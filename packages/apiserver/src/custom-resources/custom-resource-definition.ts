import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { WebhookClientConfig } from '../resources/webhook-configuration.ts';
import { formatTime } from '../schema/decode.ts';
import type { SchemaNode } from '../structural/schema-node.ts';

/* The type CustomResourceDefinition, and how its status conditions change. */

export interface CustomResourceNames extends JsonObject {
  plural: string;
  singular?: string;
  shortNames?: string[];
  kind: string;
  listKind?: string;
  categories?: string[];
}

export interface PrinterColumn extends JsonObject {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface CustomResourceScale extends JsonObject {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

export interface CustomResourceVersion extends JsonObject {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: SchemaNode };
  subresources?: { status?: JsonObject; scale?: CustomResourceScale };
  additionalPrinterColumns?: PrinterColumn[] | null;
  selectableFields?: { jsonPath: string }[] | null;
}

export interface CustomResourceConversion extends JsonObject {
  strategy: string;
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] | null };
}

export interface Condition extends JsonObject {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    names: CustomResourceNames;
    scope: string;
    versions: CustomResourceVersion[] | null;
    conversion?: CustomResourceConversion;
    preserveUnknownFields?: boolean;
  };
  status: {
    conditions?: Condition[] | null;
    acceptedNames: CustomResourceNames;
    storedVersions?: string[] | null;
  };
}

/** This finalizer keeps a definition until the objects of its kind are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export function isTrue({ status }: CustomResourceDefinition, type: string): boolean {
  return (
    status.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true
  );
}

/** Returns the conditions with one of them set. lastTransitionTime changes only with the status. */
export function withCondition(
  { status }: CustomResourceDefinition,
  condition: Condition,
  now: number,
): Condition[] {
  const conditions = status.conditions ?? [];
  const old = conditions.find(({ type }) => type === condition.type);
  const isSame = old?.status === condition.status && old.lastTransitionTime !== undefined;
  const set = {
    ...condition,
    lastTransitionTime: isSame ? (old.lastTransitionTime ?? '') : formatTime(now),
  };
  return old === undefined
    ? [...conditions, set]
    : conditions.map((each) => (each.type === set.type ? set : each));
}

export function storageVersionOf({ spec }: CustomResourceDefinition): CustomResourceVersion | undefined {
  return spec.versions?.find(({ storage }) => storage);
}
