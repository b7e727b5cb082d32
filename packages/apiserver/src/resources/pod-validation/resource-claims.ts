import { type FieldError, duplicate, forbiddenField, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { goValue } from '../go-diff.ts';
import { validateDnsLabel, validateDnsSubdomain } from './name-errors.ts';

/* Validates the claims to devices of a pod (dynamic resource allocation). */

export interface PodResourceClaim extends JsonObject {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

/** @param isMirror whether the pod is the mirror of a static pod */
export function validateResourceClaims(
  claims: readonly PodResourceClaim[],
  isMirror: boolean,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, index) => {
    if (isMirror) {
      // The real server's error names no field.
      return [forbiddenField('[]', 'static pods do not support resource claims')];
    }
    const at = `${path}[${index}]`;
    return [...validateName(claim.name, names, `${at}.name`), ...validateSource(claim, at)];
  });
}

function validateName(name: string, names: Set<string>, at: string): FieldError[] {
  if (name === '') {
    return [required(at)];
  }
  if (names.has(name)) {
    return [duplicate(at, name)];
  }
  names.add(name);
  return validateDnsLabel(name, at);
}

function validateSource(claim: PodResourceClaim, at: string): FieldError[] {
  const { resourceClaimName: name, resourceClaimTemplateName: template } = claim;
  const wrong = (problem: string): FieldError =>
    invalid(at, goValue(claim, 'core.v1.PodResourceClaim'), problem);
  return [
    ...(name !== undefined && template !== undefined
      ? [wrong('at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified')]
      : []),
    ...(name === undefined && template === undefined
      ? [wrong('must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')]
      : []),
    ...(name === undefined ? [] : validateDnsSubdomain(name, `${at}.resourceClaimName`)),
    ...(template === undefined ? [] : validateDnsSubdomain(template, `${at}.resourceClaimTemplateName`)),
  ];
}
