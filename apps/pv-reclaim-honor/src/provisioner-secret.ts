import { keyOf, secrets, storageClasses, type PersistentVolume, type StorageClass } from '@holdfast/core';
import { find, type ApiClient, type RequestOptions } from '@holdfast/runtime';
import { isText, isUnset, messageOf } from './shape.ts';

type Reader = Pick<ApiClient, 'get'>;

/** What a driver receives to delete a volume. */
export interface ProvisionerSecret {
  /** Empty if no Secret is named, or if it does not exist. */
  readonly values: Readonly<Record<string, string>>;
  /** The Secret that is named and does not exist, as `NAMESPACE/NAME`; undefined if there is none. */
  readonly missing: string | undefined;
}

interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** Annotations of a volume that name the Secret with which it is deleted. */
export const deletionSecretAnnotations = {
  name: 'volume.kubernetes.io/provisioner-deletion-secret-name',
  namespace: 'volume.kubernetes.io/provisioner-deletion-secret-namespace',
} as const;

/** Parameters of a class, the newer spelling first. */
const parameters = {
  name: ['csi.storage.k8s.io/provisioner-secret-name', 'csiProvisionerSecretName'],
  namespace: ['csi.storage.k8s.io/provisioner-secret-namespace', 'csiProvisionerSecretNamespace'],
} as const;

/** Annotation of a volume that names its class, if the field does not. */
export const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** Returns the name of the volume's class; empty if it has none. */
export function classOf({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[betaClassAnnotation] ?? spec?.storageClassName ?? '';
}

/**
 * Returns the secrets that a driver receives to delete the volume: the content of the Secret that the
 * volume's annotations name, or, if it was created without them, of the one that its class names. There are
 * none if neither names one, and if the class or the Secret is gone. As upstream, a deletion must not
 * hang on a Secret that was deleted first; a driver that needs it answers with an error.
 *
 * @param volume with at least what {@link namesSameSecret} compares.
 * @throws Error if a class names its secret with a template that cannot be resolved, or class or Secret lack
 *   the shape of their kind; ApiError if one cannot be read.
 */
export async function provisionerSecret(
  client: Reader,
  volume: PersistentVolume,
  options: RequestOptions,
): Promise<ProvisionerSecret> {
  const secretName = await secretNameOf(client, volume, options);
  if (secretName === undefined) {
    return { values: {}, missing: undefined };
  }
  const secret = await find(client, secrets, secretName, options);
  const data = textsIn(secret?.data, `data of Secret ${keyOf(secretName)}`);
  return {
    values: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    ),
    missing: secret === undefined ? keyOf(secretName) : undefined,
  };
}

/** Returns whether two states of a volume name the same Secret, provided that the class has not changed. */
export function namesSameSecret(one: PersistentVolume, other: PersistentVolume): boolean {
  const [a, b] = [one, other].map((volume) => [
    volume.metadata.name,
    volume.metadata.annotations?.[deletionSecretAnnotations.name],
    volume.metadata.annotations?.[deletionSecretAnnotations.namespace],
    classOf(volume),
    volume.spec?.claimRef?.namespace,
    volume.spec?.claimRef?.name,
  ]);
  return a?.every((each, at) => each === b?.[at]) ?? false;
}

async function secretNameOf(
  client: Reader,
  volume: PersistentVolume,
  options: RequestOptions,
): Promise<SecretName | undefined> {
  const name = volume.metadata.annotations?.[deletionSecretAnnotations.name];
  const namespace = volume.metadata.annotations?.[deletionSecretAnnotations.namespace];
  if (name !== undefined && namespace !== undefined) {
    // Empty annotations mean that the class named none when the volume was created.
    return name === '' || namespace === '' ? undefined : { name, namespace };
  }
  const className = classOf(volume);
  const storageClass =
    className === '' ? undefined : await find(client, storageClasses, { name: className }, options);
  return storageClass === undefined ? undefined : secretNameOfClass(storageClass, volume);
}

function secretNameOfClass(storageClass: StorageClass, volume: PersistentVolume): SecretName | undefined {
  const given = textsIn(storageClass.parameters, `parameters of StorageClass ${storageClass.metadata.name}`);
  const read = (part: 'name' | 'namespace'): string | undefined =>
    parameters[part].map((key) => given[key]).find((value) => value !== undefined);
  const [name, namespace] = [read('name'), read('namespace')];
  if (name === undefined && namespace === undefined) {
    return undefined;
  }
  if (name === undefined || namespace === undefined) {
    throw new Error(
      `StorageClass ${storageClass.metadata.name} names half a provisioner secret: give both ${parameters.name[0]} and ${parameters.namespace[0]}`,
    );
  }
  const { claimRef } = volume.spec ?? {};
  const tokens: ReadonlyMap<string, string | undefined> = new Map([
    ['pv.name', volume.metadata.name],
    ['pvc.name', claimRef?.name],
    ['pvc.namespace', claimRef?.namespace],
  ]);
  const resolve = (template: string): string =>
    // One without an end is not known either, and goes to the end of the text.
    template.replace(/\$\{([^}]*)(\}?)/g, (whole, token: string, end: string) => {
      const value = end === '' ? undefined : tokens.get(token);
      if (value === undefined) {
        throw new Error(
          `StorageClass ${storageClass.metadata.name} names its provisioner secret "${template}": ${whole} is not known when a volume is deleted; known are ${[...tokens.keys()].join(', ')}`,
        );
      }
      return value;
    });
  return { name: resolve(name), namespace: resolve(namespace) };
}

/**
 * Returns a map of strings; null becomes an empty string.
 *
 * @throws Error for anything else, without showing any of it, since the values might be secret.
 */
function textsIn(map: unknown, what: string): Readonly<Record<string, string>> {
  const members = isUnset(map) ? {} : messageOf(map);
  const texts = Object.entries(members ?? {}).map(([name, value]) => [name, value ?? ''] as const);
  if (members === undefined || !texts.every(([, value]) => isText(value))) {
    throw new Error(`the ${what} can not be read: mend it`);
  }
  return Object.fromEntries(texts) as Readonly<Record<string, string>>;
}
