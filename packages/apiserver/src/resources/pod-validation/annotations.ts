import { type FieldError, forbiddenField, invalid } from '../../meta/field-error.ts';
import type { Json } from '../../meta/json.ts';
import { decodeStruct } from '../../schema/decode.ts';
import type { PodSpec } from '../pod-spec.ts';
import type { Profile } from './confinement.ts';
import { eachContainer } from './each-container.ts';
import { validateDescendingPath } from './paths.ts';
import { type Toleration, validateTolerations } from './tolerations.ts';

/* Validates the annotations of pods that the server itself reads. */

type Annotations = Readonly<Record<string, string>>;

export const mirror = 'kubernetes.io/config.mirror';
const tolerationsKey = 'scheduler.alpha.kubernetes.io/tolerations';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const seccompOfPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const localhost = 'localhost/';

/** @param path of the annotations */
export function validatePodAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  path: string,
): FieldError[] {
  if (annotations === undefined) {
    return [];
  }
  const { [mirror]: mirrored, [tolerationsKey]: tolerations = '', [deletionCost]: cost } = annotations;
  const entries = Object.entries(annotations);
  return [
    ...(mirrored !== undefined && (spec.nodeName ?? '') === ''
      ? [invalid(`${path}[${mirror}]`, mirrored, 'must set spec.nodeName if mirror pod annotation is set')]
      : []),
    ...(tolerations === '' ? [] : validateAnnotatedTolerations(tolerations, path)),
    ...(cost !== undefined && !isInteger32(cost)
      ? [invalid(`${path}[${deletionCost}]`, cost, 'must be a 32bit integer')]
      : []),
    ...entries.flatMap(([key, profile]) =>
      key === seccompOfPod || key.startsWith(seccompPrefix)
        ? validateSeccompText(profile, `${path}.${key}`)
        : [],
    ),
    ...entries.flatMap(([key, profile]) =>
      key.startsWith(appArmorPrefix) ? validateAppArmorText(key, profile, spec, `${path}[${key}]`) : [],
    ),
  ];
}

/** Whether the text is a 32-bit integer as Go parses it here, without a plus or leading zeros. */
function isInteger32(text: string): boolean {
  return /^(?:0|-?[0-9]+)$/.test(text) && !/^0./.test(text) && (Number(text) | 0) === Number(text);
}

function validateAnnotatedTolerations(text: string, path: string): FieldError[] {
  try {
    const given = (JSON.parse(text) ?? []) as Json;
    if (!Array.isArray(given)) {
      return [invalid(path, tolerationsKey, 'json: cannot unmarshal into Go value of type []v1.Toleration')];
    }
    const tolerations = given.map((each) => decodeStruct('core.v1.Toleration', each).value as Toleration);
    return validateTolerations(tolerations, `${path}.${tolerationsKey}`);
  } catch (error) {
    return [invalid(path, tolerationsKey, error instanceof Error ? error.message : '')];
  }
}

function validateSeccompText(profile: string, at: string): FieldError[] {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) {
    return [];
  }
  return profile.startsWith(localhost)
    ? validateDescendingPath(profile.slice(localhost.length), at)
    : [invalid(at, profile, 'must be a valid seccomp profile')];
}

function validateAppArmorText(key: string, profile: string, spec: PodSpec, at: string): FieldError[] {
  const name = key.slice(appArmorPrefix.length);
  const isThere = eachContainer(spec, '').some(([container]) => container.name === name);
  const isProfile = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(localhost);
  return [
    ...(isThere ? [] : [invalid(at, name, 'container not found')]),
    ...(isProfile ? [] : [invalid(at, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`)]),
  ];
}

/** In new pods and in templates, a profile in an annotation must match the one in the field. */
export function validateConfinedAlike(
  annotations: Annotations | undefined,
  spec: PodSpec,
  path: string,
): FieldError[] {
  if (annotations === undefined) {
    return [];
  }
  const { securityContext: ofPod = {} } = spec;
  const containers = eachContainer(spec, path);
  const alike = (
    name: string,
    profile: Profile | undefined,
    key: string,
    runtimes: readonly string[],
    at: string,
  ): FieldError[] => {
    const text = annotations[key];
    return text === undefined || profile === undefined ? [] : compare(name, profile, text, runtimes, at);
  };
  const seccomp = ['runtime/default', 'docker/default'];
  return [
    ...alike(
      'seccomp',
      ofPod.seccompProfile,
      seccompOfPod,
      seccomp,
      `${path}.securityContext.seccompProfile`,
    ),
    ...containers.flatMap(([{ name, securityContext }, at]) =>
      alike(
        'seccomp',
        securityContext?.seccompProfile,
        `${seccompPrefix}${name}`,
        seccomp,
        `${at}.securityContext.seccompProfile`,
      ),
    ),
    ...(spec.os?.name === 'windows' ? [] : containers).flatMap(([{ name, securityContext }, at]) =>
      alike(
        'apparmor',
        securityContext?.appArmorProfile ?? ofPod.appArmorProfile,
        `${appArmorPrefix}${name}`,
        ['runtime/default'],
        `${at}.securityContext.appArmorProfile`,
      ),
    ),
  ];
}

function compare(
  name: string,
  { type, localhostProfile }: Profile,
  text: string,
  runtimes: readonly string[],
  at: string,
): FieldError[] {
  const isOther =
    (type === 'Unconfined' && text !== 'unconfined') ||
    (type === 'RuntimeDefault' && !runtimes.includes(text)) ||
    (type === 'Localhost' && !text.startsWith(localhost));
  if (isOther) {
    return [forbiddenField(`${at}.type`, `${name} type in annotation and field must match`)];
  }
  return type === 'Localhost' && text.slice(localhost.length) !== localhostProfile
    ? [forbiddenField(`${at}.localhostProfile`, `${name} profile in annotation and field must match`)]
    : [];
}

/** The annotations of a pod that cannot change. */
export function validateAnnotationsKept(
  annotations: Annotations = {},
  old: Annotations = {},
  path: string,
): FieldError[] {
  return [
    ...Object.entries(old).flatMap(([key, before]) => {
      const what = annotations[key] === before ? undefined : fixedAnnotation(key);
      return what === undefined
        ? []
        : [forbiddenField(`${path}[${key}]`, `may not remove or update ${what}`)];
    }),
    ...Object.keys(annotations).flatMap((key) => {
      const what = old[key] === undefined ? fixedAnnotation(key) : undefined;
      return what === undefined ? [] : [forbiddenField(`${path}[${key}]`, `may not add ${what}`)];
    }),
  ];
}

function fixedAnnotation(key: string): string | undefined {
  if (key === mirror) {
    return 'mirror pod annotation';
  }
  return key.startsWith(appArmorPrefix) ? 'AppArmor annotations' : undefined;
}
