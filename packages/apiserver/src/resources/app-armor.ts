import { type JsonObject, jsonEqual } from '../meta/json.ts';
import type { ObjectMeta } from '../meta/kube-object.ts';
import type { Container, PodSpec } from './pod-spec.ts';

/* The annotations for AppArmor profiles, which are older than the fields for them. */

const annotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const localhostPrefix = 'localhost/';
/** PATH_MAX without the terminating zero. */
const longestProfile = 4095;

/** The annotation of a container that lacks the field. */
interface Annotated {
  readonly container: Container;
  readonly key: string;
  /** Undefined: the value is not a valid profile. */
  readonly profile: JsonObject | undefined;
}

function annotated(
  containers: readonly Container[] | null | undefined,
  { annotations = {} }: ObjectMeta,
): readonly Annotated[] {
  return (containers ?? []).flatMap((container) => {
    const key = `${annotationPrefix}${container.name}`;
    const value = annotations[key];
    if (value === undefined || container.securityContext?.appArmorProfile !== undefined) {
      return [];
    }
    return [{ container, key, profile: profileOf(value) }];
  });
}

function profileOf(value: string): JsonObject | undefined {
  if (value === 'unconfined') {
    return { type: 'Unconfined' };
  }
  if (value === 'runtime/default') {
    return { type: 'RuntimeDefault' };
  }
  const localhostProfile = value.startsWith(localhostPrefix) ? value.slice(localhostPrefix.length) : '';
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}

function isValid({ localhostProfile }: JsonObject): boolean {
  if (typeof localhostProfile !== 'string') {
    return true;
  }
  return (
    localhostProfile.trim() === localhostProfile && Buffer.byteLength(localhostProfile) <= longestProfile
  );
}

function deprecation(key: string, at: string): string {
  return `${at}metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
}

/**
 * The warnings for one container of a template.
 *
 * @param at the path of the template, with its dot
 */
export function appArmorWarnings(
  container: Container,
  spec: PodSpec,
  metadata: ObjectMeta,
  at: string,
): readonly string[] {
  const ofPod = spec.securityContext?.appArmorProfile;
  return annotated([container], metadata)
    .filter(({ profile }) => ofPod === undefined || !jsonEqual(profile, ofPod))
    .map(({ key }) => deprecation(key, at));
}

/**
 * Converts the annotations of a new pod to fields (applyAppArmorVersionSkew in
 * pkg/registry/core/pod/strategy.go).
 */
export function useAppArmorAnnotations(
  spec: PodSpec,
  metadata: ObjectMeta,
  warn: (text: string) => void,
): void {
  if (spec.os?.name === 'windows') {
    return;
  }
  const ofPod = spec.securityContext?.appArmorProfile;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  for (const { container, key, profile } of annotated(containers, metadata)) {
    if (profile === undefined || !isValid(profile)) {
      warn(deprecation(key, ''));
    } else if (!jsonEqual(profile, ofPod)) {
      container.securityContext = { ...container.securityContext, appArmorProfile: profile };
      warn(deprecation(key, ''));
    }
  }
}
