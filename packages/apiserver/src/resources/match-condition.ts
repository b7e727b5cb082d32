import type { AdmissionCompiler } from '../cel/admission-expression.ts';
import { append } from '../meta/append.ts';
import { type FieldError, duplicate, invalid, required, tooMany } from '../meta/field-error.ts';
import type { JsonObject } from '../meta/json.ts';
import { qualifiedNameProblems } from '../meta/names.ts';
import { compileErrors, condition } from './cel-field.ts';

/* CEL conditions that narrow down the requests of a webhook or a policy. */

export interface MatchCondition extends JsonObject {
  name: string;
  expression: string;
}

const mostConditions = 64;

export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  compiler: AdmissionCompiler,
  path: string,
): FieldError[] {
  const errors: FieldError[] =
    conditions.length > mostConditions ? [tooMany(path, conditions.length, mostConditions)] : [];
  const names = new Set<string>();
  for (const [index, { name, expression }] of conditions.entries()) {
    const at = `${path}[${index}]`;
    const trimmed = expression.trim();
    append(
      errors,
      trimmed === ''
        ? [required(`${at}.expression`)]
        : compileErrors(() => compiler.compile(trimmed, condition), trimmed, `${at}.expression`),
    );
    if (name === '') {
      errors.push(required(`${at}.name`));
    } else {
      append(
        errors,
        qualifiedNameProblems(name).map((problem) => invalid(`${at}.name`, name, problem)),
      );
      if (names.has(name)) {
        errors.push(duplicate(`${at}.name`, name));
      }
      names.add(name);
    }
  }
  return errors;
}
