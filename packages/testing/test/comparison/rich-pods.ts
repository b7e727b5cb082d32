import fc from 'fast-check';
import { readRecording } from '../../../apiserver/test/recorded/recording.ts';
import { type Body, labels, set } from './random-objects.ts';

/* Pods that have what few pods have, so that mutations reach all of their fields: those whose creation was recorded. */

interface Recorded {
  readonly spec: object;
  readonly metadata: { readonly annotations?: object };
}

const creation = 'POST $PODS ';
const pods = readRecording('odd-pod-answers.json')
  .answers.filter(({ request, code }) => code === 201 && request.startsWith(creation))
  .map(({ request }) => JSON.parse(request.slice(creation.length)) as Recorded);

/** With the specs of two of them, one over the other. */
const richSpec: fc.Arbitrary<object> = fc
  .tuple(fc.constantFrom(...pods), fc.constantFrom(...pods))
  .map(([one, other]) => ({ ...one.spec, ...other.spec }));

export const richPod = (name: string): fc.Arbitrary<Body> =>
  fc.tuple(labels, fc.constantFrom(...pods), richSpec).map(([given, { metadata }, spec]) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: given, annotations: metadata.annotations },
    spec,
  }));

/** A set of such pods. */
export const richSet = (name: string): fc.Arbitrary<Body> =>
  fc.tuple(set(name), richSpec).map(([body, podSpec]) => {
    const { spec, ...rest } = body as Body & { readonly spec: { readonly template: object } };
    return { ...rest, spec: { ...spec, template: { ...spec.template, spec: podSpec } } };
  });
