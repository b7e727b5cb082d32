import { type FieldError, invalid, notSupported, required, tooLong } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { goValue } from '../go-diff.ts';
import { validateDescendingPath } from './paths.ts';

/* Validates the seccomp and AppArmor profiles of containers. */

export interface Profile extends JsonObject {
  type?: string;
  localhostProfile?: string;
}

const types = ['Localhost', 'RuntimeDefault', 'Unconfined'];
/** PATH_MAX without the terminating zero. */
const longestProfile = 4095;

export function validateSeccomp(profile: Profile | undefined, at: string): FieldError[] {
  if (profile === undefined) {
    return [];
  }
  const { type = '', localhostProfile } = profile;
  const errors = validateType(type, 'seccompProfile', at);
  if (type === 'Localhost') {
    return localhostProfile === undefined
      ? [required(`${at}.localhostProfile`, 'must be set when seccomp type is Localhost')]
      : validateDescendingPath(localhostProfile, `${at}.localhostProfile`);
  }
  if (localhostProfile !== undefined) {
    const problem = 'can only be set when seccomp type is Localhost';
    errors.push(invalid(`${at}.localhostProfile`, goValue(profile, 'core.v1.SeccompProfile'), problem));
  }
  return errors;
}

export function validateAppArmor(profile: Profile | undefined, path: string): FieldError[] {
  if (profile === undefined) {
    return [];
  }
  const { type = '', localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  if (type === 'Localhost') {
    const isPadded = localhostProfile?.trim() !== localhostProfile;
    return [
      ...(localhostProfile === undefined || localhostProfile === ''
        ? [required(at, 'must be set when AppArmor type is Localhost')]
        : []),
      ...(isPadded ? [invalid(at, localhostProfile, 'must not be padded with whitespace')] : []),
      ...(Buffer.byteLength(localhostProfile ?? '') > longestProfile ? [tooLong(at, longestProfile)] : []),
    ];
  }
  return types.includes(type) && localhostProfile !== undefined
    ? [invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost')]
    : validateType(type, 'appArmorProfile', path);
}

function validateType(type: string, field: string, at: string): FieldError[] {
  if (type === '') {
    return [required(`${at}.type`, `type is required when ${field} is set`)];
  }
  return types.includes(type) ? [] : [notSupported(`${at}.type`, type, types)];
}
