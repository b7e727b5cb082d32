import type { AdmissionValues } from '../../cel/admission-expression.ts';
import { attempt } from '../../cel/attempt.ts';
import { appliedJson, operandJson, typeNameProblems } from '../../cel/constructed-json.ts';
import { ConstructedValue, PatchOperation } from '../../cel/constructed-values.ts';
import type { EvaluationBudget } from '../../cel/evaluation-budget.ts';
import { CelFailure } from '../../cel/function-table.ts';
import { atomicFields } from '../../managed-fields/atomic-fields.ts';
import { merge, typeProblems } from '../../managed-fields/typed-value.ts';
import { typeOfDefinition } from '../../managed-fields/value-type.ts';
import { printKind, readGroupVersion } from '../../meta/group-version.ts';
import { type Json, type JsonObject, isObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { internalErrorOccurred } from '../../meta/status-error.ts';
import { JsonPatchFailure, applyOperations } from '../../patch/json-patch.ts';
import { decodeAs } from '../../resources/decode-object.ts';
import type { ResourceDefinition } from '../../resources/resource-definition.ts';
import { DecodeError } from '../../schema/decode.ts';
import { identity as identityOf, isOf } from '../object-form.ts';
import type { CompiledMutation } from './compiled-policy.ts';
import { evaluate, failureOf } from './policy-evaluation.ts';

/* Applies one mutation of a policy, as k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch does. */

/** A mutation that cannot be applied. The failurePolicy decides what follows. */
export class MutationFailure extends Error {}

/**
 * Returns a changed copy of the object.
 *
 * @param form of the object
 * @throws MutationFailure or OutOfBudget, to which the failurePolicy applies; 500, whatever the
 *   failurePolicy, for a patch whose result is not an object of the kind
 */
export function mutated(
  { patchType, expression, program }: CompiledMutation,
  values: AdmissionValues,
  budget: EvaluationBudget,
  object: KubeObject,
  form: ResourceDefinition,
): KubeObject {
  const result = evaluate(program, values, budget);
  if (result instanceof CelFailure) {
    throw new MutationFailure(failureOf(expression, result));
  }
  const shape = shapeOf(object, form);
  const changed =
    patchType === 'JSONPatch'
      ? patchedBy(result, object, shape, budget)
      : appliedTo(result, object, shape, budget);
  shape.applyDefaults?.(changed);
  return changed;
}

/**
 * What is known of the object's type. The object of an action, such as the Binding for a pod, is not of the
 * form's kind.
 */
type Shape = Pick<ResourceDefinition, 'struct' | 'schema' | 'applyDefaults'>;

function shapeOf(object: KubeObject, form: ResourceDefinition): Shape {
  if (isOf(object, form)) {
    return form;
  }
  const { group, version } = readGroupVersion(object.apiVersion);
  const [first = ''] = group.split('.');
  return { struct: `${first === '' ? 'core' : first}.${version}.${object.kind}` };
}

/** Reads the value that an expression returned. Reading it can cost as evaluations do. */
function reading<Result>(budget: EvaluationBudget, problem: string, read: () => Result): Result {
  const result = attempt(() => budget.run(read));
  if (result instanceof CelFailure) {
    throw new MutationFailure(`${problem}: ${result.message}`);
  }
  return result;
}

function checkTypeNames(value: ConstructedValue): void {
  const problems = typeNameProblems(value, value.typeName);
  if (problems.length > 0) {
    throw new MutationFailure(`type mismatch: ${problems.join('\n')}`);
  }
}

/* ApplyConfiguration */

const unconverted = 'error applying patch: failed to convert patch object to typed object';

function appliedTo(result: unknown, object: KubeObject, shape: Shape, budget: EvaluationBudget): KubeObject {
  if (!(result instanceof ConstructedValue)) {
    throw new MutationFailure('unsupported return type from ApplyConfiguration expression: give an Object{}');
  }
  checkTypeNames(result);
  const { kind, apiVersion } = object;
  const config: JsonObject = {
    ...reading(budget, unconverted, () => appliedJson(result)),
    kind,
    apiVersion,
  };
  const type = typeOfDefinition(shape);
  const problems = typeProblems(config, type);
  if (problems.length > 0) {
    const listed = problems.length === 1 ? problems.join('') : `errors:\n  ${problems.join('\n  ')}`;
    throw new MutationFailure(`${unconverted}: ${listed}`);
  }
  const atomic = atomicFields(config, type);
  if (atomic.length > 0) {
    throw new MutationFailure(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  }
  const merged = merge(object, config, type) ?? null;
  try {
    return decodeAs(merged, identityOf(object, shape)).object;
  } catch (error) {
    if (error instanceof DecodeError) {
      throw new MutationFailure(
        `unable to convert unstructured object to ${printKind(config)}: ${error.message}`,
      );
    }
    throw error;
  }
}

/* JSONPatch */

function patchedBy(result: unknown, object: KubeObject, shape: Shape, budget: EvaluationBudget): KubeObject {
  const operations = operationsOf(result, budget);
  let patched: Json;
  try {
    patched = applyOperations(object, operations);
  } catch (error) {
    if (!(error instanceof JsonPatchFailure)) {
      throw error;
    }
    if (error.isTest) {
      return structuredClone(object);
    }
    throw new MutationFailure(`JSON Patch: ${error.message}`);
  }
  return strictly(patched, object, shape);
}

function operationsOf(result: unknown, budget: EvaluationBudget): readonly JsonObject[] {
  const items: unknown[] = Array.isArray(result) ? result : [result];
  return items.map((item) => {
    if (!(item instanceof PatchOperation)) {
      throw new MutationFailure(
        'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch',
      );
    }
    return operationOf(item, budget);
  });
}

function operationOf(item: PatchOperation, budget: EvaluationBudget): JsonObject {
  const text = (field: string): string => {
    const given = item.get(field);
    return typeof given === 'string' ? given : '';
  };
  const operation: JsonObject = { op: text('op'), path: text('path') };
  if (text('from') !== '') {
    operation['from'] = text('from');
  }
  const value = item.get('value');
  if (value === undefined) {
    return operation;
  }
  if (value instanceof ConstructedValue) {
    checkTypeNames(value);
  }
  const problem = 'JSONPath valueExpression evaluated to a type that could not marshal to JSON';
  return { ...operation, value: reading(budget, problem, () => operandJson(value)) };
}

/** Decodes a patched object. Unlike elsewhere, an unknown field of a struct is an error. */
function strictly(patched: Json, object: KubeObject, shape: Shape): KubeObject {
  try {
    const { object: decoded, unknownFields } = decodeAs(patched, identityOf(object, shape));
    if (shape.struct !== undefined && unknownFields.length > 0) {
      const listed = unknownFields.map((field) => `unknown field ${JSON.stringify(field)}`);
      throw internalErrorOccurred(`strict decoding error: ${listed.join(', ')}`);
    }
    return isObject(patched) ? decoded : object;
  } catch (error) {
    if (error instanceof DecodeError) {
      throw internalErrorOccurred(error.message);
    }
    throw error;
  }
}
