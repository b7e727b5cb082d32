import type { Descriptions } from './description.ts';

export const eventsDescriptions: Descriptions = {
  'events.v1.Event': {
    about: 'A report of something that happened to an object; it is informative, and expires.',
    fields: {
      eventTime: 'When it was first observed, to the microsecond.',
      series: 'How it went on, if it repeats.',
      reportingController: 'Controller that reported it, such as kubernetes.io/kubelet.',
      reportingInstance: 'Instance of that controller, such as its pod.',
      action: 'What was done about the object, or failed; 128 characters at most.',
      reason: 'Why it was done, in one CamelCase word; 128 characters at most.',
      regarding: 'Object that the event is about.',
      related: 'A second object, if the action concerns one.',
      note: 'What happened, for people; 1 kB at most.',
      type: 'Normal or Warning; others may come.',
      deprecatedSource: 'Field source of core/v1.',
      deprecatedFirstTimestamp: 'Field firstTimestamp of core/v1.',
      deprecatedLastTimestamp: 'Field lastTimestamp of core/v1.',
      deprecatedCount: 'Field count of core/v1.',
    },
  },
  'events.v1.EventSeries': {
    about: 'How an event has repeated.',
    fields: {
      count: 'How many times it has happened up to the last heartbeat.',
      lastObservedTime: 'When it last happened.',
    },
  },
};
