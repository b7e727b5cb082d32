import type { ResourceNames } from './resource-names.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  /** `.spec.host`, or `.status.conditions[?(@.type=="Ready")].status` */
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  /** Above 0: only `kubectl get -o wide` shows the column. Default: 0. */
  readonly priority?: number;
}

/** Where the subresource `scale` finds its values, as paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One version in `spec.versions` of a CustomResourceDefinition. */
export interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: true;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources?: { readonly status?: Readonly<Record<string, never>>; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/**
 * A CustomResourceDefinition to be created: no status, and no metadata other than the name and what its
 * author gives.
 */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly group: string;
    readonly names: ResourceNames;
    readonly scope: 'Cluster' | 'Namespaced';
    readonly versions: readonly CustomResourceVersion[];
    readonly conversion?: { readonly strategy: 'None' };
  };
}
