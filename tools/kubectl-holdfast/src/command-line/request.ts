import type { WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import type { AppName } from '../cluster/release.ts';
import type { Output } from '../output/print.ts';
import type { Cascade } from '../plan/world.ts';

/** Flags that every command accepts. */
export interface GlobalFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Undefined for the namespace of the context, or `default` if it has none. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly output: Output | undefined;
  readonly insecureHttp: boolean;
  /** By controller: whether it counts as at work, whatever the cluster shows. */
  readonly assume: ReadonlyMap<AssumableName, boolean>;
  /** Kinds of sets in addition to those that statefulset-pvc-retention is seen to manage. */
  readonly workloads: readonly WorkloadResource[];
}

export const assumable = ['kube-controller-manager', 'statefulset-pvc-retention'] as const;
export type AssumableName = (typeof assumable)[number];

export type Kind = 'pvc' | 'pv' | 'sts' | 'sc';

export type Request =
  | { readonly kind: 'explain'; readonly of: Kind; readonly name: string }
  | {
      readonly kind: 'scale';
      /** The resource and its group, as in kubectl; undefined for StatefulSets of `apps`. */
      readonly of: string | undefined;
      readonly name: string;
      readonly replicas: number;
    }
  | {
      readonly kind: 'delete';
      readonly of: string | undefined;
      readonly name: string;
      readonly cascade: Cascade;
    }
  | {
      readonly kind: 'status';
      /** How many milliseconds to wait until all deployed controllers are at work; undefined: not at all. */
      readonly patience: number | undefined;
    }
  | {
      readonly kind: 'keep';
      /** Undefined for everything. */
      readonly these: { readonly of: 'pvc' | 'pv'; readonly names: readonly string[] } | undefined;
    }
  | {
      readonly kind: 'uninstall';
      /** Empty for all that are deployed. */
      readonly apps: readonly AppName[];
      /** The namespace of their Deployments; undefined for any. */
      readonly namespace: string | undefined;
      /** For each wait, in milliseconds. */
      readonly timeout: number;
    }
  | { readonly kind: 'preflight' | 'gates' | 'leaks' | 'undo' }
  | ViewRequest;

export interface ViewRequest {
  readonly kind: 'view';
  /** 0 for a free one. */
  readonly port: number;
  /** Whether to open the page in a browser. */
  readonly open: boolean;
}

export type CommandLine =
  | {
      readonly kind: 'run';
      readonly request: Request;
      readonly flags: GlobalFlags;
      /** Whether to answer again whenever the answer changes. */
      readonly watch: boolean;
      /** Whether to write without asking. */
      readonly yes: boolean;
    }
  | { readonly kind: 'print'; readonly text: string }
  /** A request of the shell for completions of the last word. */
  | { readonly kind: 'complete'; readonly words: readonly string[] };
