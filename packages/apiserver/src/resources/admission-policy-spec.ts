import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { MatchCondition } from './match-condition.ts';
import type { MatchResources } from './match-resources.ts';

/* What a ValidatingAdmissionPolicy says. */

export interface PolicyValidation extends JsonObject {
  /** In CEL: the request is let pass where it is true. */
  expression: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface PolicyVariable extends JsonObject {
  name: string;
  expression: string;
}

export interface AuditAnnotation extends JsonObject {
  key: string;
  valueExpression: string;
}

export interface ParamKind extends JsonObject {
  apiVersion?: string;
  kind?: string;
}

export interface AdmissionPolicySpec extends JsonObject {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  validations?: PolicyValidation[];
  failurePolicy?: string;
  auditAnnotations?: AuditAnnotation[];
  matchConditions?: MatchCondition[];
  variables?: PolicyVariable[];
}

export interface ExpressionWarning extends JsonObject {
  fieldRef: string;
  warning: string;
}

export interface AdmissionPolicyStatus extends JsonObject {
  observedGeneration?: number;
  typeChecking?: { expressionWarnings?: ExpressionWarning[] };
}

export interface AdmissionPolicy extends KubeObject {
  spec: AdmissionPolicySpec;
  status: AdmissionPolicyStatus;
}
