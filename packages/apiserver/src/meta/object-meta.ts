import { append } from './append.ts';
import { type FieldError, forbiddenField, invalid, required, tooLong } from './field-error.ts';
import { type Json, cloneJson, jsonEqual } from './json.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from './kube-object.ts';
import { type NameRule, dnsLabel, labelValueProblems, qualifiedNameProblems } from './names.ts';

/* Validates metadata as k8s.io/apimachinery/pkg/api/validation/objectmeta.go does. */

const immutableMessage = 'field is immutable';
const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);
const annotationBytes = 256 * 1024;

export function validateObjectMeta(
  meta: ObjectMeta,
  isNamespaced: boolean,
  nameRule: NameRule,
): FieldError[] {
  const errors: FieldError[] = [];
  const generateName = meta.generateName ?? '';
  const name = meta.name ?? '';
  if (generateName !== '') {
    for (const problem of nameRule(generateName, true)) {
      errors.push(invalid('metadata.generateName', generateName, problem));
    }
  }
  if (name === '') {
    errors.push(required('metadata.name', 'name or generateName is required'));
  } else {
    for (const problem of nameRule(name, false)) {
      errors.push(invalid('metadata.name', name, problem));
    }
  }
  const namespace = meta.namespace ?? '';
  if (isNamespaced) {
    if (namespace === '') {
      errors.push(required('metadata.namespace'));
    } else {
      for (const problem of dnsLabel(namespace, false)) {
        errors.push(invalid('metadata.namespace', namespace, problem));
      }
    }
  } else if (namespace !== '') {
    errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  }
  // Kinds without generations keep what the client sends.
  const { generation = 0 } = meta;
  if (generation < 0) {
    errors.push(invalid('metadata.generation', generation, 'must be greater than or equal to 0'));
  }
  append(errors, validateLabels(meta.labels, 'metadata.labels'));
  append(errors, validateAnnotations(meta.annotations));
  append(errors, validateOwnerReferences(meta.ownerReferences ?? []));
  append(errors, validateFinalizers(meta.finalizers ?? []));
  return errors;
}

/** Copies from the old object the metadata that a client can neither set nor remove. */
export function keepSystemMetadata(object: KubeObject, old: KubeObject): void {
  const meta = object.metadata;
  const before = old.metadata;
  keep(meta, before, 'creationTimestamp');
  if (before.deletionTimestamp === undefined) {
    return;
  }
  keep(meta, before, 'deletionTimestamp');
  if (before.deletionGracePeriodSeconds !== undefined) {
    meta.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  }
}

export function validateObjectMetaUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const meta = object.metadata;
  const before = old.metadata;
  const errors: FieldError[] = [];
  if (before.deletionTimestamp !== undefined) {
    const present = new Set(before.finalizers);
    const added = [...new Set(meta.finalizers)].filter((finalizer) => !present.has(finalizer)).sort();
    if (added.length > 0) {
      const listed = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
      errors.push(
        forbiddenField(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`,
        ),
      );
    }
  }
  if (meta.resourceVersion === undefined) {
    errors.push(invalid('metadata.resourceVersion', '', 'must be specified for an update'));
  }
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const) {
    if (meta[field] !== before[field]) {
      errors.push(invalid(`metadata.${field}`, meta[field] ?? '', immutableMessage));
    }
  }
  if (meta.deletionGracePeriodSeconds !== before.deletionGracePeriodSeconds) {
    errors.push(
      invalid('metadata.deletionGracePeriodSeconds', meta.deletionGracePeriodSeconds, immutableMessage),
    );
  }
  if (
    meta.generation !== undefined &&
    before.generation !== undefined &&
    meta.generation < before.generation
  ) {
    errors.push(invalid('metadata.generation', meta.generation, 'must not be decremented'));
  }
  append(errors, validateLabels(meta.labels, 'metadata.labels'));
  append(errors, validateAnnotations(meta.annotations));
  append(errors, validateOwnerReferences(meta.ownerReferences ?? []));
  return errors;
}

function keep(meta: ObjectMeta, before: ObjectMeta, field: 'creationTimestamp' | 'deletionTimestamp'): void {
  const value = before[field];
  if (value !== undefined) {
    meta[field] = value;
  }
}

export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field: string,
): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalid(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalid(field, value, problem)),
  ]);
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field = 'metadata.annotations',
): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    qualifiedNameProblems(key.toLowerCase()).map((problem) => invalid(field, key, problem)),
  );
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (size > annotationBytes) {
    errors.push(tooLong(field, annotationBytes));
  }
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[]): FieldError[] {
  const field = 'metadata.ownerReferences';
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references) {
    const version = reference.apiVersion.slice(reference.apiVersion.indexOf('/') + 1);
    if (version === '') {
      errors.push(invalid(`${field}.apiVersion`, reference.apiVersion, 'version must not be empty'));
    }
    for (const part of ['kind', 'name', 'uid'] as const) {
      if (reference[part] === '') {
        errors.push(invalid(`${field}.${part}`, '', 'must not be empty'));
      }
    }
    if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
      errors.push(invalid(field, reference, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (reference.controller === true) {
      const name = `${reference.kind}/${reference.name}`;
      if (controller === undefined) {
        controller = name;
      } else {
        const listed: Json = [...references];
        errors.push(
          invalid(
            field,
            listed,
            `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
          ),
        );
      }
    }
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[]): FieldError[] {
  const field = 'metadata.finalizers';
  const errors: FieldError[] = [];
  for (const finalizer of finalizers) {
    append(
      errors,
      qualifiedNameProblems(finalizer).map((problem) => invalid(field, finalizer, problem)),
    );
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(
      invalid(field, [...finalizers], 'finalizer orphan and foregroundDeletion cannot be both set'),
    );
  }
  return errors;
}

/** What most built-in kinds require in addition: each finalizer is a standard one or has a domain. */
export function validateFinalizersQualified(meta: ObjectMeta): FieldError[] {
  return (meta.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes('/') || standardFinalizers.has(finalizer)
      ? []
      : [
          invalid(
            `metadata.finalizers[${index}]`,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  );
}

export function validateImmutable(
  value: Json | undefined,
  old: Json | undefined,
  field: string,
): FieldError[] {
  return jsonEqual(value, old) ? [] : [invalid(field, value, immutableMessage)];
}

/** The metadata before a write that must not change it, with what every write has of its own. */
export function resetMetadata(meta: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const result = cloneJson(old);
  if (meta.resourceVersion !== undefined) {
    result.resourceVersion = meta.resourceVersion;
  }
  if (meta.managedFields !== undefined) {
    result.managedFields = meta.managedFields;
  }
  return result;
}
