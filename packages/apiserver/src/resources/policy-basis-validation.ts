import { type AdmissionCompiler, createAdmissionCompiler } from '../cel/admission-expression.ts';
import { append } from '../meta/append.ts';
import { type FieldError, invalid, notSupported, required } from '../meta/field-error.ts';
import { dns1035Label, dnsSubdomain } from '../meta/names.ts';
import type { ParamKind, PolicyBasis, PolicyVariable } from './admission-policy-spec.ts';
import { compileErrors } from './cel-field.ts';
import { validateMatchConditions } from './match-condition.ts';
import { type MatchResources, requiredMatch } from './match-resources.ts';

/*
 * The rules that validating and mutating policies share, as in
 * pkg/apis/admissionregistration/validation/validation.go.
 */

const failurePolicies = ['Fail', 'Ignore'];

export interface BasisRules {
  /** Whether expressions may name `variables` even if none is defined. Default false. */
  readonly hasVariables?: boolean;
  /** Returns further errors of the match constraints. Default: none. */
  readonly matchErrors?: (match: MatchResources) => readonly FieldError[];
}

/** Returns the errors, and the compiler for the remaining expressions, which knows the variables. */
export function validateBasis(
  spec: PolicyBasis,
  path: string,
  { hasVariables = false, matchErrors = () => [] }: BasisRules = {},
): { readonly errors: FieldError[]; readonly compiler: AdmissionCompiler } {
  const { paramKind, failurePolicy = '', matchConstraints, matchConditions = [], variables = [] } = spec;
  const hasParams = paramKind !== undefined;
  const errors: FieldError[] = [];
  if (!failurePolicies.includes(failurePolicy)) {
    errors.push(notSupported(`${path}.failurePolicy`, failurePolicy, failurePolicies));
  }
  if (paramKind !== undefined) {
    append(errors, validateParamKind(paramKind, `${path}.paramKind`));
  }
  append(errors, [
    ...requiredMatch(matchConstraints, `${path}.matchConstraints`),
    ...(matchConstraints === undefined ? [] : matchErrors(matchConstraints)),
    // Match conditions cannot read variables, so they are compiled first.
    ...validateMatchConditions(
      matchConditions,
      createAdmissionCompiler({ hasParams }),
      `${path}.matchConditions`,
    ),
  ]);
  const compiler = createAdmissionCompiler({
    hasParams,
    hasVariables: hasVariables || variables.length > 0,
  });
  for (const [index, variable] of variables.entries()) {
    append(errors, validateVariable(variable, compiler, `${path}.variables[${index}]`));
  }
  return { errors, compiler };
}

function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const ofVersion = `${path}.apiVersion`;
  const parts = apiVersion === '/' ? [] : apiVersion.split('/');
  if (apiVersion === '') {
    errors.push(required(ofVersion));
  } else if (parts.length > 2) {
    errors.push(invalid(ofVersion, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const [version = '', group = ''] = parts.toReversed();
    const ofGroup = group === '' ? [] : dnsSubdomain(group, false);
    if (ofGroup.length > 0) {
      errors.push(invalid(ofVersion, group, ofGroup.join(',')));
    }
    const problems = dns1035Label(version, false);
    if (version === '') {
      errors.push(invalid(ofVersion, apiVersion, 'version must be specified'));
    } else if (problems.length > 0) {
      errors.push(invalid(ofVersion, version, problems.join(',')));
    }
  }
  const ofKind = dns1035Label(kind.toLowerCase(), false);
  if (kind === '') {
    errors.push(required(`${path}.kind`));
  } else if (ofKind.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${ofKind.join(',')}`;
    errors.push(invalid(`${path}.kind`, kind, detail));
  }
  return errors;
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if'],
  ...['import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

function validateVariable(
  { name, expression }: PolicyVariable,
  compiler: AdmissionCompiler,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (name.trim() === '') {
    errors.push(required(`${path}.name`, 'name is not specified'));
  } else if (!identifier.test(name) || reserved.has(name)) {
    errors.push(invalid(`${path}.name`, name, 'must be a valid CEL identifier'));
  }
  if (expression.trim() === '') {
    errors.push(required(`${path}.expression`, 'expression is not specified'));
  } else {
    append(
      errors,
      compileErrors(() => compiler.define(name, expression), expression, `${path}.expression`),
    );
  }
  return errors;
}
