import { randomUUID } from 'node:crypto';
import { readGroupVersion } from '../meta/group-version.ts';
import { type Json, type JsonObject, isObject, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';

/*
 * Writes and reads ConversionReviews of apiextensions.k8s.io/v1 and v1beta1, which have the same fields. The
 * checks are those of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
 */

const reviewVersions = ['v1', 'v1beta1'] as const;
type ReviewVersion = (typeof reviewVersions)[number];

export interface ConversionReview {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly json: string;
}

/** The webhook's answer is not a valid response to the review. */
export class ReviewError extends Error {}

/**
 * A review in the first version of the list that is known.
 *
 * @throws ReviewError when none is
 */
export function conversionReviewOf(
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
  versions: readonly string[],
): ConversionReview {
  const version = versions.find(isReviewVersion);
  if (version === undefined) {
    throw new ReviewError('no supported conversion review versions');
  }
  const uid = randomUUID();
  const json = JSON.stringify({
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  });
  return { version, uid, json };
}

function isReviewVersion(version: string): version is ReviewVersion {
  return reviewVersions.some((known) => known === version);
}

/** Returns the converted objects of an answer without checking the objects themselves. Throws ReviewError. */
export function readConverted(text: string, { version, uid }: ConversionReview): readonly Json[] {
  const review = parse(text);
  if (!isObject(review)) {
    const given = Array.isArray(review) ? 'array' : typeof review;
    throw new ReviewError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${given} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  checkIdentity(review, version);
  const { response } = review;
  if (!isObject(response)) {
    throw new ReviewError('no response provided');
  }
  // A v1beta1 answer needs no uid.
  const answered = response['uid'] ?? '';
  if (typeof answered !== 'string') {
    throw new ReviewError(
      `json: cannot unmarshal ${typeof answered} into Go struct field ConversionResponse.response.uid of type types.UID`,
    );
  }
  if (version === 'v1' && answered !== uid) {
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`);
  }
  const result = isObject(response['result']) ? response['result'] : {};
  if (result['status'] !== 'Success') {
    const message = textOf(result['message']);
    throw new ReviewError(
      message === '' ? `response.result.status was '${textOf(result['status'])}', not 'Success'` : message,
    );
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

function checkIdentity(review: JsonObject, version: ReviewVersion): void {
  const kind = textOf(review['kind']);
  const apiVersion = textOf(review['apiVersion']);
  if (kind === '' && apiVersion === '') {
    if (version === 'v1') {
      throw new ReviewError(
        'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
      );
    }
    return;
  }
  const given = readGroupVersion(apiVersion);
  if (
    kind !== 'ConversionReview' ||
    given.group !== 'apiextensions.k8s.io' ||
    !isReviewVersion(given.version)
  ) {
    throw new ReviewError(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (given.version !== version) {
    throw new ReviewError(
      `converting (${given.version}.ConversionReview) to (${version}.ConversionReview): unknown conversion`,
    );
  }
}

/** Text that is not JSON becomes a string, because the real server parses it as YAML. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The object as the webhook receives it: without the resourceVersion of its storage. */
export function asSent(object: KubeObject): KubeObject {
  return { ...object, metadata: withoutFields(object.metadata, ['resourceVersion']) };
}
