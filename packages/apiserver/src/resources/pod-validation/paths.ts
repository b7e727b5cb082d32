import { type FieldError, invalid } from '../../meta/field-error.ts';

/* Validates paths of files, which must not leave their directory. */

export function hasBackstep(path: string): boolean {
  return path.includes('..') && path.split('/').includes('..');
}

export function validateNoBackstep(path: string, at: string): FieldError[] {
  return hasBackstep(path) ? [invalid(at, path, "must not contain '..'")] : [];
}

/** For a path below a directory. */
export function validateDescendingPath(path: string, at: string): FieldError[] {
  return [
    ...(path.startsWith('/') ? [invalid(at, path, 'must be a relative path')] : []),
    ...validateNoBackstep(path, at),
  ];
}

/** For a path in a volume, where names that begin with two dots belong to the kubelet. */
export function validateItemPath(path: string, at: string): FieldError[] {
  return [
    ...validateDescendingPath(path, at),
    ...(path.startsWith('..') && !path.startsWith('../')
      ? [invalid(at, path, "must not start with '..'")]
      : []),
  ];
}
