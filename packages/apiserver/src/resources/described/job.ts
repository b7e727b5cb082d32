import type { JsonObject } from '../../meta/json.ts';
import type { LabelSelector } from '../../meta/kube-object.ts';
import type { PodTemplate } from '../pod-template.ts';

/* The type of a job, with the fields that the server reads. */

export interface JobSpec extends JsonObject {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplate;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: PodFailurePolicy;
  successPolicy?: SuccessPolicy;
  managedBy?: string;
}

export interface JobStatus extends JsonObject {
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  startTime?: string;
  completionTime?: string;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
  conditions?: { type: string; status: string }[];
}

export interface OnExitCodes extends JsonObject {
  containerName?: string;
  operator: string;
  values: number[] | null;
}

export interface OnPodCondition extends JsonObject {
  type: string;
  status?: string;
}

export interface FailureRule extends JsonObject {
  action: string;
  onExitCodes?: OnExitCodes;
  onPodConditions?: OnPodCondition[];
}

export interface PodFailurePolicy extends JsonObject {
  rules: FailureRule[] | null;
}

export interface SuccessRule extends JsonObject {
  succeededIndexes?: string;
  succeededCount?: number;
}

export interface SuccessPolicy extends JsonObject {
  rules: SuccessRule[] | null;
}
