import { type FieldError, invalid, required } from '../meta/field-error.ts';
import { type Json, type JsonObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain, pathSegment, qualifiedNameProblems } from '../meta/names.ts';
import { validateImmutable } from '../meta/object-meta.ts';
import { goValue } from './go-diff.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { column, nameColumn, shortDuration, since } from './table-columns.ts';

/* Events, stored as core/v1 and also served as events.k8s.io/v1. */

interface Event extends KubeObject {
  involvedObject: JsonObject;
  reason?: string;
  message?: string;
  source: { component?: string; host?: string };
  firstTimestamp: string | null;
  lastTimestamp: string | null;
  count?: number;
  type?: string;
  eventTime: string | null;
  series?: { count?: number; lastObservedTime: string | null };
  action?: string;
  related?: JsonObject;
  reportingComponent: string;
  reportingInstance: string;
}

const involved = (field: string) => (event: KubeObject) => text((event as Event).involvedObject[field]);

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

const shared = {
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  namespaced: true,
  nameRule: dnsSubdomain,
  takesAnyFinalizer: true,
  storageVersionHash: 'r2yiGXH7wu8=',
  allowCreateOnUpdate: true,
  neverOwns: true,
  hasFieldLabelConversion: true,
  columns: [
    column('Last Seen', 'When it happened last'),
    column('Type', 'Normal or Warning'),
    column('Reason', 'Why, in one word'),
    column('Object', 'What it is about'),
    column('Subobject', 'The part of the object it is about', 1),
    column('Source', 'Who reports it', 1),
    column('Message', 'What happened'),
    column('First Seen', 'When it happened first', 1),
    column('Count', 'How often it happened', 1),
    { ...nameColumn, priority: 1 },
  ],
} as const;

function eventCells(event: Event, now: number): readonly Json[] {
  const { series } = event;
  const first = event.firstTimestamp ?? event.eventTime;
  const last = series?.lastObservedTime ?? event.lastTimestamp;
  const age = (value: string | null): string =>
    value === null ? '<unknown>' : shortDuration(now - Date.parse(value));
  const kind = text(event.involvedObject['kind']).toLowerCase();
  const name = text(event.involvedObject['name']);
  const { component: source = '', host: node = '' } = event.source;
  const component = source !== '' ? source : event.reportingComponent;
  const host = node !== '' ? node : event.reportingInstance;
  return [
    last === null ? age(first) : age(last),
    event.type ?? '',
    event.reason ?? '',
    name === '' ? kind : `${kind}/${name}`,
    text(event.involvedObject['fieldPath']),
    host === '' ? component : `${component}, ${host}`,
    (event.message ?? '').trim(),
    since(first ?? undefined, now),
    series?.count ?? (event.count === undefined || event.count === 0 ? 1 : event.count),
    event.metadata.name ?? '',
  ];
}

/** An event must be in the namespace of its object, unless it has an eventTime. */
function validateAbout(
  { metadata: { namespace: own = '' } }: KubeObject,
  object: JsonObject,
  eventTime: string | null,
): FieldError[] {
  const about = text(object['namespace']);
  // Events about cluster-scoped objects are in the default namespace.
  const isOfCluster = own === 'default' || (eventTime !== null && own === 'kube-system');
  const isElsewhere = about === '' ? !isOfCluster : eventTime === null && about !== own;
  return isElsewhere ? [invalid('involvedObject.namespace', about, 'does not match event.namespace')] : [];
}

/** An event with an eventTime must name its reporter, its action and its reason, in both versions. */
function validateEvent(event: Event): FieldError[] {
  const errors = validateAbout(event, event.involvedObject, event.eventTime);
  return event.eventTime === null
    ? errors
    : [...errors, ...validateReport('reportingComponent', event.reportingComponent, event, event.message)];
}

function validateReport(
  field: 'reportingComponent' | 'reportingController',
  controller = '',
  report: { readonly reportingInstance?: string; readonly action?: string; readonly reason?: string },
  note = '',
): FieldError[] {
  const { reportingInstance = '', action = '', reason = '' } = report;
  const needed = { reportingInstance, action, reason };
  return [
    ...(controller === '' ? [required(field)] : []),
    ...qualifiedNameProblems(controller).map((problem) => invalid(field, controller, problem)),
    ...Object.entries(needed).flatMap(([name, given]) => [
      ...(given === '' ? [required(name)] : []),
      ...(given.length > 128 ? [invalid(name, '', 'can have at most 128 characters')] : []),
    ]),
    ...(note.length > 1024 ? [invalid('message', '', 'can have at most 1024 characters')] : []),
  ];
}

export const events: ResourceDefinition = {
  ...shared,
  group: '',
  version: 'v1',
  struct: 'core.v1.Event',
  nameRule: pathSegment,
  judgesMetadataLast: true,
  selectableFields: {
    'involvedObject.kind': involved('kind'),
    'involvedObject.namespace': involved('namespace'),
    'involvedObject.name': involved('name'),
    'involvedObject.uid': involved('uid'),
    'involvedObject.apiVersion': involved('apiVersion'),
    'involvedObject.resourceVersion': involved('resourceVersion'),
    'involvedObject.fieldPath': involved('fieldPath'),
    reason: (event: KubeObject) => text(event['reason']),
    reportingComponent: (event: KubeObject) => text(event['reportingComponent']),
    source: (event: KubeObject) => (event as Event).source.component ?? text(event['reportingComponent']),
    type: (event: KubeObject) => text(event['type']),
  },
  validate: validateEvent,
  validateUpdate: validateEvent,
  cells: (event: Event, { now }) => eventCells(event, now),
};

interface NewEvent extends KubeObject {
  eventTime: string | null;
  series?: { count: number; lastObservedTime: string | null };
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding: JsonObject;
  related?: JsonObject;
  note?: string;
  type?: string;
  deprecatedSource: JsonObject;
  deprecatedFirstTimestamp: string | null;
  deprecatedLastTimestamp: string | null;
  deprecatedCount?: number;
}

export const eventsV1: ResourceDefinition = {
  ...shared,
  takesAnyFinalizer: false,
  group: 'events.k8s.io',
  version: 'v1',
  struct: 'events.v1.Event',
  selectableFields: {
    'regarding.kind': involved('kind'),
    'regarding.namespace': involved('namespace'),
    'regarding.name': involved('name'),
    'regarding.uid': involved('uid'),
    'regarding.apiVersion': involved('apiVersion'),
    'regarding.resourceVersion': involved('resourceVersion'),
    'regarding.fieldPath': involved('fieldPath'),
    reason: (event: KubeObject) => text(event['reason']),
    reportingController: (event: KubeObject) => text(event['reportingComponent']),
    type: (event: KubeObject) => text(event['type']),
  },
  conversion: {
    storedAs: { group: '', name: 'events' },
    toStored(event: NewEvent): KubeObject {
      const { kind, metadata, regarding, related, note, reason, type, action, series, eventTime } = event;
      return {
        kind,
        apiVersion: 'v1',
        metadata,
        involvedObject: regarding,
        ...(reason === undefined ? undefined : { reason }),
        ...(note === undefined ? undefined : { message: note }),
        source: event.deprecatedSource,
        firstTimestamp: event.deprecatedFirstTimestamp,
        lastTimestamp: event.deprecatedLastTimestamp,
        ...(event.deprecatedCount === undefined ? undefined : { count: event.deprecatedCount }),
        ...(type === undefined ? undefined : { type }),
        eventTime,
        ...(series === undefined ? undefined : { series }),
        ...(action === undefined ? undefined : { action }),
        ...(related === undefined ? undefined : { related }),
        reportingComponent: event.reportingController ?? '',
        reportingInstance: event.reportingInstance ?? '',
      };
    },
    fromStored(event: Event): KubeObject {
      const { kind, metadata, involvedObject, related, message, reason, type, action, eventTime, series } =
        event;
      return {
        kind,
        apiVersion: 'events.k8s.io/v1',
        metadata,
        eventTime,
        ...(series === undefined ? undefined : { series: { ...series, count: series.count ?? 0 } }),
        ...(event.reportingComponent === '' ? undefined : { reportingController: event.reportingComponent }),
        ...(event.reportingInstance === '' ? undefined : { reportingInstance: event.reportingInstance }),
        ...(action === undefined ? undefined : { action }),
        ...(reason === undefined ? undefined : { reason }),
        regarding: involvedObject,
        ...(related === undefined ? undefined : { related }),
        ...(message === undefined ? undefined : { note: message }),
        ...(type === undefined ? undefined : { type }),
        deprecatedSource: event.source,
        deprecatedFirstTimestamp: event.firstTimestamp,
        deprecatedLastTimestamp: event.lastTimestamp,
        ...(event.count === undefined ? undefined : { deprecatedCount: event.count }),
      };
    },
  },
  validate: validateNewEvent,
  validateUpdate: (event: NewEvent, old: NewEvent) => [
    ...validateBothForms(event),
    ...(jsonEqual(event.series, old.series) ? [] : validateSeries(event)),
    ...validateUnchanged(event, old),
  ],
  cells: (event: Event, { now }) => eventCells(event, now),
};

/** An event of events.k8s.io/v1 cannot change, except for its series. Errors name the fields of core/v1. */
function validateUnchanged(event: NewEvent, old: NewEvent): FieldError[] {
  const fields = (of: NewEvent): Readonly<Record<string, Json>> => ({
    involvedObject: goValue(of.regarding, 'core.v1.ObjectReference'),
    reason: of.reason ?? '',
    message: of.note ?? '',
    source: goValue(of.deprecatedSource, 'core.v1.EventSource'),
    firstTimestamp: of.deprecatedFirstTimestamp,
    lastTimestamp: of.deprecatedLastTimestamp,
    count: of.deprecatedCount ?? 0,
    type: of.type ?? '',
    eventTime: of.eventTime,
    action: of.action ?? '',
    related: of.related === undefined ? null : goValue(of.related, 'core.v1.ObjectReference'),
    reportingController: of.reportingController ?? '',
    reportingInstance: of.reportingInstance ?? '',
  });
  const before = fields(old);
  return Object.entries(fields(event)).flatMap(([name, value]) =>
    validateImmutable(value, before[name], name),
  );
}

/** The rules that events.k8s.io/v1 shares with core/v1. */
function validateBothForms(event: NewEvent): FieldError[] {
  const errors = validateAbout(event, event.regarding, event.eventTime);
  return event.eventTime === null
    ? errors
    : [...errors, ...validateReport('reportingController', event.reportingController, event, event.note)];
}

function validateSeries({ series }: NewEvent): FieldError[] {
  if (series === undefined) {
    return [];
  }
  return [
    ...(series.count < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime === null ? [required('series.lastObservedTime')] : []),
  ];
}

function validateNewEvent(event: NewEvent): FieldError[] {
  const { component = '', host = '' } = event.deprecatedSource;
  const isSet = {
    firstTimestamp: event.deprecatedFirstTimestamp !== null,
    lastTimestamp: event.deprecatedLastTimestamp !== null,
    count: (event.deprecatedCount ?? 0) !== 0,
    source: component !== '' || host !== '',
  };
  return [
    ...validateBothForms(event),
    ...validateSeries(event),
    ...(event.eventTime === null ? [required('eventTime')] : []),
    ...(event.type === 'Normal' || event.type === 'Warning'
      ? []
      : [invalid('type', '', `has invalid value: ${event.type ?? ''}`)]),
    ...Object.entries(isSet).flatMap(([field, is]) => (is ? [invalid(field, '', 'needs to be unset')] : [])),
  ];
}
