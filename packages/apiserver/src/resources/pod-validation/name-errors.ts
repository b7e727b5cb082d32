import { type FieldError, invalid } from '../../meta/field-error.ts';
import { dnsLabel, dnsSubdomain, qualifiedNameProblems } from '../../meta/names.ts';

/* Validates names in a pod. Each error has the path of its name. */

export function validateDnsLabel(name: string, path: string): FieldError[] {
  return dnsLabel(name, false).map((problem) => invalid(path, name, problem));
}

export function validateDnsSubdomain(name: string, path: string): FieldError[] {
  return dnsSubdomain(name, false).map((problem) => invalid(path, name, problem));
}

export function validateQualifiedName(name: string, path: string): FieldError[] {
  return qualifiedNameProblems(name).map((problem) => invalid(path, name, problem));
}
