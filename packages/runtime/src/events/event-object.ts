import { apiVersionOf, type ApiResource, type EventsEvent, type KubernetesObject } from '@holdfast/core';
import { processSecrets } from '../logging/secret-values.ts';
import { microTime } from '../time/micro-time.ts';

/** The content of an Event. */
export interface EventText {
  readonly type: 'Normal' | 'Warning';
  /**
   * The reason, for programs: UpperCamelCase, for example `DeletionPostponed`. Cut after 128 bytes, the API
   * server's limit.
   */
  readonly reason: string;
  /**
   * What was done or not done about it, for programs: UpperCamelCase. Cut after 128 bytes, the API server's
   * limit.
   */
  readonly action: string;
  /**
   * The explanation, for people. Cut after 1,024 bytes, the API server's limit. Secrets of the process are
   * replaced.
   */
  readonly note: string;
  /** A second object that the event is about, for example the pod that holds a claim. */
  readonly related?: { readonly resource: ApiResource<KubernetesObject>; readonly object: KubernetesObject };
}

/** Identifies the reporting controller; both values are within the API server's limits. */
export interface Reporter {
  readonly reportingController: string;
  readonly reportingInstance: string;
}

/** An Event to be created, without its series. */
export interface NewEvent extends Reporter {
  readonly metadata: { readonly name: string; readonly namespace: string };
  /** MicroTime. */
  readonly eventTime: string;
  readonly type: EventText['type'];
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: NonNullable<EventsEvent['regarding']>;
  readonly related?: NonNullable<EventsEvent['related']>;
}

/**
 * Builds the Event in the namespace of its object, or in `default` for a cluster-scoped object.
 *
 * @param stamp makes the name unique among the Events of its object: nanoseconds since 1970.
 */
export function newEvent(
  reporter: Reporter,
  resource: ApiResource<KubernetesObject>,
  object: KubernetesObject,
  { type, reason, action, note, related }: EventText,
  time: Date,
  stamp: bigint,
): NewEvent {
  const { name, namespace = 'default' } = object.metadata;
  return {
    ...reporter,
    metadata: { name: eventName(name, resource.kind, stamp), namespace },
    eventTime: microTime(time),
    type,
    reason: cutBytes(reason, 128),
    action: cutBytes(action, 128),
    note: cutBytes(processSecrets.redact(note), 1024),
    regarding: referenceTo(resource, object),
    ...(related === undefined ? {} : { related: referenceTo(related.resource, related.object) }),
  };
}

/**
 * Returns the key under which equal events become one series. Its fields are client-go's (`getKey` in
 * `tools/events/event_broadcaster.go`) and the note. The note is included because a series keeps the note of
 * its first event, and would go on saying that two pods hold a claim after one of them has gone. The spam
 * filter limits notes that keep changing.
 */
export function isomorphicKey({ type, action, reason, note, regarding, related }: NewEvent): string {
  return JSON.stringify([type, action, reason, note, regarding, related]);
}

/**
 * Returns the longest prefix of the text that takes at most this many bytes as UTF-8, without splitting a
 * character.
 */
export function cutBytes(text: string, limit: number): string {
  // No UTF-16 code unit takes more than three bytes in UTF-8.
  if (text.length * 3 <= limit) {
    return text;
  }
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) {
    return text;
  }
  let end = limit;
  // 10xxxxxx continues a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end -= 1;
  }
  return bytes.toString('utf8', 0, end);
}

function referenceTo(
  resource: ApiResource<KubernetesObject>,
  { metadata }: KubernetesObject,
): NewEvent['regarding'] {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  };
}

const longestName = 253;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Returns `<object>.<hex timestamp>`, as client-go names Events. */
function eventName(object: string, kind: string, stamp: bigint): string {
  const suffix = `.${stamp.toString(16)}`;
  const cut = object.slice(0, longestName - suffix.length).replace(/[-.]+$/, '');
  // Some kinds allow names that an Event cannot have, such as `system:node` of a ClusterRole.
  return `${subdomain.test(cut) ? cut : kind.toLowerCase()}${suffix}`;
}
