import { type FieldError, invalid } from '../../meta/field-error.ts';

/* Paths of files, which must not leave the folder that they are in. */

export function hasBackstep(path: string): boolean {
  return path.includes('..') && path.split('/').includes('..');
}

export function validateNoBackstep(path: string, at: string): FieldError[] {
  return hasBackstep(path) ? [invalid(at, path, "must not contain '..'")] : [];
}

/** Of a path below some folder. */
export function validateDescendingPath(path: string, at: string): FieldError[] {
  return [
    ...(path.startsWith('/') ? [invalid(at, path, 'must be a relative path')] : []),
    ...validateNoBackstep(path, at),
  ];
}

/** Of a path in a volume, where the names that begin with two dots are the kubelet's. */
export function validateItemPath(path: string, at: string): FieldError[] {
  return [
    ...validateDescendingPath(path, at),
    ...(path.startsWith('..') && !path.startsWith('../')
      ? [invalid(at, path, "must not start with '..'")]
      : []),
  ];
}
