import { StatusError } from '../meta/status-error.ts';

/** The form of the answer that a client's Accept header asks for. */
export interface ResponseForm {
  /** If false, the answer is text: JSON or YAML. */
  readonly isProtobuf: boolean;
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** For all forms except 'object'. */
  readonly apiVersion: MetaVersion;
}

/** Both versions have the same forms. Clients older than 1.15 ask for v1beta1. */
export type MetaVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';

const plainText: ResponseForm = { isProtobuf: false, as: 'object', apiVersion: 'meta.k8s.io/v1' };
const plainProtobuf: ResponseForm = { ...plainText, isProtobuf: true };

const yaml = 'application/yaml';
/** The media type of objects in protobuf. */
export const protobuf = 'application/vnd.kubernetes.protobuf';
/** The types of bodies and of answers. */
const acceptedTypes = `application/json, ${yaml}, ${protobuf}`;
const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);

/** Whether a client prefers YAML to JSON. */
export function prefersYaml(accept: string | undefined): boolean {
  if (accept?.includes(yaml) !== true) {
    return false;
  }
  const wanted = byQuality(accept).map(typeOf);
  return wanted.find((type) => type === yaml || jsonTypes.has(type)) === yaml;
}

/**
 * Whether a client prefers protobuf to text for a Status, or for another answer that is not an object of a
 * kind.
 */
export function prefersProtobuf(accept: string | undefined): boolean {
  if (accept?.includes(protobuf) !== true) {
    return false;
  }
  for (const clause of byQuality(accept)) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    // A form of an object, such as a Table, does not apply to a Status.
    if (parameters.some((parameter) => /^(as|g|v)=/.test(parameter))) {
      continue;
    }
    if (type === protobuf) {
      return true;
    }
    if (type === yaml || jsonTypes.has(type)) {
      return false;
    }
  }
  return false;
}

/**
 * Returns the first acceptable form that is served. Throws 406 if there is none.
 *
 * @param hasProtobuf whether whole objects can be written in protobuf, which is so for built-in kinds.
 *   Metadata alone always can, and Tables never.
 */
export function negotiate(accept: string | undefined, hasProtobuf: boolean): ResponseForm {
  if (accept === undefined || accept === '' || accept === 'application/json') {
    return plainText;
  }
  let hasKnownType = false;
  for (const clause of byQuality(accept)) {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
    const isProtobuf = type === protobuf;
    if (!isProtobuf && type !== yaml && !jsonTypes.has(type)) {
      continue;
    }
    hasKnownType = true;
    const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string | undefined]));
    const as = parameters.get('as');
    if (as === undefined) {
      if (isProtobuf && !hasProtobuf) {
        continue;
      }
      return isProtobuf ? plainProtobuf : plainText;
    }
    const apiVersion = `${parameters.get('g')}/${parameters.get('v')}`;
    if (apiVersion !== 'meta.k8s.io/v1' && apiVersion !== 'meta.k8s.io/v1beta1') {
      continue;
    }
    const isTable = as === 'Table' && !isProtobuf;
    if (isTable || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
      return { isProtobuf, as: isTable ? 'Table' : as, apiVersion };
    }
  }
  if (hasKnownType || !hasProtobuf) {
    throw formNotServed();
  }
  throw notRouted(acceptedTypes);
}

/** Throws 406 if the client does not accept JSON, for answers that exist only as JSON. */
export function checkAcceptsJson(accept: string | undefined): void {
  if (
    accept !== undefined &&
    accept !== '' &&
    !byQuality(accept).some((clause) => jsonTypes.has(typeOf(clause)))
  ) {
    throw notRouted('application/json');
  }
}

function typeOf(clause: string): string {
  return clause.split(';', 1)[0]?.trim() ?? '';
}

/**
 * Built-in kinds are routed by media type. For an unknown media type no handler is found that could give a
 * more precise message.
 */
function notRouted(served: string): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${served}`;
  return new StatusError(406, 'NotAcceptable', message, {});
}

/** The error for a form in which a kind, or this server, gives no answers. */
export function formNotServed(): StatusError {
  return new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${acceptedTypes}`,
  );
}

/** Metadata alone is requested in one form for objects and in another for lists. */
export function wrongMetadataForm(form: string, actual: string): StatusError {
  const message = `you requested ${form}, but the requested object is ${actual}`;
  return new StatusError(406, 'NotAcceptable', message);
}

function byQuality(accept: string): string[] {
  const clauses = accept.split(',').map((clause) => clause.trim());
  if (!accept.includes('q=')) {
    return clauses;
  }
  const quality = (clause: string): number => Number(/;\s*q=([\d.]+)/.exec(clause)?.[1] ?? 1);
  return clauses.sort((a, b) => quality(b) - quality(a));
}

/** Returns the media type of a request body, without parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function unsupportedBody(): StatusError {
  return unsupported(acceptedTypes);
}

/**
 * Built-in kinds are routed by the media type of a patch, so no handler is found that could give a more
 * precise message.
 */
export function unsupportedPatch(): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

export function unsupportedCustomPatch(accepted: readonly string[]): StatusError {
  return unsupported(accepted.join(', '));
}

function unsupported(accepted: string): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}
