import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { MatchCondition } from './match-condition.ts';
import type { MatchResources } from './match-resources.ts';

/* The types of admission policies. */

export interface PolicyValidation extends JsonObject {
  /** A CEL expression. The request is allowed if it is true. */
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

/** What validating and mutating policies have in common. */
export interface PolicyBasis extends JsonObject {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  variables?: PolicyVariable[];
}

export interface AdmissionPolicySpec extends PolicyBasis {
  validations?: PolicyValidation[];
  auditAnnotations?: AuditAnnotation[];
}

interface PolicyExpression extends JsonObject {
  expression?: string;
}

export interface Mutation extends JsonObject {
  /** ApplyConfiguration or JSONPatch. The field of the same name has the expression. */
  patchType?: string;
  applyConfiguration?: PolicyExpression;
  jsonPatch?: PolicyExpression;
}

export interface MutatingPolicySpec extends PolicyBasis {
  mutations?: Mutation[];
  reinvocationPolicy?: string;
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

export interface MutatingPolicy extends KubeObject {
  spec: MutatingPolicySpec;
}
