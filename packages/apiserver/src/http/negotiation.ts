import { StatusError } from '../meta/status-error.ts';

/** The form of the answer that a client's Accept header asks for. */
export interface ResponseForm {
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Of all but an object. */
  readonly apiVersion: MetaVersion;
}

/** Forms have looked the same in both; the older one is what clients from before 1.15 ask for. */
export type MetaVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';

const plainForm: ResponseForm = { as: 'object', apiVersion: 'meta.k8s.io/v1' };

const yaml = 'application/yaml';
/** Of answers. */
const acceptedTypes = `application/json, ${yaml}`;
const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);
/** Of bodies. */
const bodyTypes = `${acceptedTypes}, application/vnd.kubernetes.protobuf`;

/** Whether a client wants YAML rather than JSON. */
export function prefersYaml(accept: string | undefined): boolean {
  const wanted = byQuality(accept ?? '').map((clause) => clause.split(';', 1)[0]?.trim() ?? '');
  return wanted.find((type) => type === yaml || jsonTypes.has(type)) === yaml;
}

/** Takes the first form served. Throws 406 when there is none. */
export function negotiate(accept: string | undefined): ResponseForm {
  if (accept === undefined || accept === '') {
    return plainForm;
  }
  let hasKnownType = false;
  for (const clause of byQuality(accept)) {
    const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
    if (type !== yaml && !jsonTypes.has(type)) {
      continue;
    }
    hasKnownType = true;
    const parameters = new Map(rest.map((part) => part.split('=', 2) as [string, string | undefined]));
    const as = parameters.get('as');
    if (as === undefined) {
      return plainForm;
    }
    const apiVersion = `${parameters.get('g')}/${parameters.get('v')}`;
    if (apiVersion !== 'meta.k8s.io/v1' && apiVersion !== 'meta.k8s.io/v1beta1') {
      continue;
    }
    if (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
      return { as, apiVersion };
    }
  }
  if (hasKnownType) {
    throw formNotServed();
  }
  throw new StatusError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${acceptedTypes}`,
    {},
  );
}

/** A form that a kind, or this server, is not given in. */
export function formNotServed(): StatusError {
  return new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${acceptedTypes}`,
  );
}

/** Metadata alone is asked for in one form for objects and in another for lists. */
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

/** The media type of a request body, without parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function unsupportedBody(): StatusError {
  return unsupported(bodyTypes);
}

/** Built-in kinds are routed by the type of a patch, so that nobody is left who could say more. */
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
