import type { JsonObject } from './json.ts';

/** The fields of metav1.StatusDetails that the API server fills in. */
export interface StatusDetails extends JsonObject {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause extends JsonObject {
  reason?: string;
  message?: string;
  field?: string;
}

export interface Status extends JsonObject {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: JsonObject;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/**
 * An answer that is a metav1.Status of failure. Any code that serves a request can throw it, and the server
 * writes it.
 */
export class StatusError extends Error {
  readonly status: Status;
  /** The Warning headers to send with it: warnings that came up before the failure. */
  warnings: readonly string[] = [];

  constructor(code: number, reason: string | undefined, message: string, details?: StatusDetails) {
    super(message);
    const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message };
    if (reason !== undefined) {
      status.reason = reason;
    }
    if (details !== undefined) {
      status.details = details;
    }
    status.code = code;
    this.status = status;
  }

  get code(): number {
    return this.status.code ?? 500;
  }
}

/** A resource by group and plural (or, in some messages of the real server, by kind). */
export interface GroupName {
  readonly group: string;
  readonly name: string;
}

function qualified({ group, name }: GroupName): string {
  return group === '' ? name : `${name}.${group}`;
}

function detailsOf(resource: GroupName, name: string): StatusDetails {
  const details: StatusDetails = {};
  if (name !== '') {
    details.name = name;
  }
  if (resource.group !== '') {
    details.group = resource.group;
  }
  details.kind = resource.name;
  return details;
}

export function notFound(resource: GroupName, name: string): StatusError {
  return new StatusError(
    404,
    'NotFound',
    `${qualified(resource)} "${name}" not found`,
    detailsOf(resource, name),
  );
}

export function alreadyExists(resource: GroupName, name: string, isTerminating = false): StatusError {
  const message = existsMessage(resource, name, isTerminating);
  return new StatusError(409, 'AlreadyExists', message, detailsOf(resource, name));
}

/** For an object with a generateName, whoever chose its name. */
export function generatedNameExists(resource: GroupName, name: string, isTerminating: boolean): StatusError {
  const message = `${existsMessage(resource, name, isTerminating)}, the server was not able to generate a unique name for the object`;
  return new StatusError(409, 'AlreadyExists', message, {
    ...detailsOf(resource, name),
    retryAfterSeconds: 1,
  });
}

function existsMessage(resource: GroupName, name: string, isTerminating: boolean): string {
  return `${isTerminating ? 'object is being deleted: ' : ''}${qualified(resource)} "${name}" already exists`;
}

export const modifiedMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(resource: GroupName, name: string, problem: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${problem}`;
  return new StatusError(409, 'Conflict', message, detailsOf(resource, name));
}

export function forbidden(
  resource: GroupName,
  name: string,
  problem: string,
  causes?: StatusCause[],
): StatusError {
  const subject = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`;
  const details = detailsOf(resource, name);
  if (causes !== undefined) {
    details.causes = causes;
  }
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${problem}`, details);
}

/** @param seconds after which the client may try again; 0 if unknown */
export function tooManyRequests(message: string, seconds: number, causes: StatusCause[]): StatusError {
  return new StatusError(429, 'TooManyRequests', message, {
    causes,
    ...(seconds === 0 ? undefined : { retryAfterSeconds: seconds }),
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** The real server's answer to a JSON patch that cannot be applied, whatever the reason. */
export function unprocessablePatch(): StatusError {
  return new StatusError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  );
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError(405, 'MethodNotAllowed', message, {});
}

/**
 * The error of the handler of custom kinds for a verb that it does not support. The verb is empty for a
 * method that stands for none.
 */
export function methodNotSupported(resource: GroupName, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${qualified(resource)}"`;
  return new StatusError(405, 'MethodNotAllowed', message, detailsOf(resource, ''));
}

export function unknownResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/**
 * The error for a version that history no longer holds: an HTTP status for lists, an ERROR event for watches.
 */
export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

export function tooLargeResourceVersion(wanted: number, current: number): StatusError {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  return new StatusError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/**
 * The error for a failure of the server itself or of something that it depends on, worded as
 * k8s.io/apimachinery/pkg/api/errors.NewInternalError does.
 */
export function internalErrorOccurred(problem: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${problem}`, {
    causes: [{ message: problem }],
  });
}

export function internalError(message: string): StatusError {
  return new StatusError(500, undefined, message);
}
