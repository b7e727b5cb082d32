import { conditionFields } from './condition-fields.ts';
import type { Descriptions } from './description.ts';

export const flowcontrolDescriptions: Descriptions = {
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': {
    about: 'Seats of a level whose requests never wait.',
    fields: {
      nominalConcurrencyShares: "Share of the server's seats that the level counts for; 0 by default.",
      lendablePercent: 'Percentage of its seats that other levels may borrow, 0 to 100; 0 by default.',
    },
  },
  'flowcontrol.v1.FlowDistinguisherMethod': {
    about: 'How requests of a schema are divided into flows.',
    fields: { type: 'ByUser or ByNamespace.' },
  },
  'flowcontrol.v1.FlowSchema': {
    about: 'Assigns requests to a level of priority.',
    fields: { spec: 'Requests and level.', status: 'State of the schema.' },
  },
  'flowcontrol.v1.FlowSchemaCondition': {
    about: 'A condition of a FlowSchema, such as Dangling.',
    fields: { ...conditionFields },
  },
  'flowcontrol.v1.FlowSchemaSpec': {
    about: 'Requests of a schema, and their level.',
    fields: {
      priorityLevelConfiguration: 'Level of the requests.',
      matchingPrecedence: 'Order among schemas, 1 to 10000; the lowest that matches counts. 1000 by default.',
      distinguisherMethod: 'How the requests are divided into flows; one flow when unset.',
      rules: 'Requests that match, by any of the rules.',
    },
  },
  'flowcontrol.v1.FlowSchemaStatus': {
    about: 'State of a FlowSchema.',
    fields: { conditions: 'Conditions of the schema.' },
  },
  'flowcontrol.v1.GroupSubject': {
    about: 'A group of users.',
    fields: { name: 'Name of the group; * for all.' },
  },
  'flowcontrol.v1.LimitResponse': {
    about: 'What becomes of requests for which there is no seat.',
    fields: {
      type: 'Queue lets them wait, Reject answers 429.',
      queuing: 'The queues; with type Queue only.',
    },
  },
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': {
    about: 'Seats of a level whose requests are limited.',
    fields: {
      nominalConcurrencyShares:
        "Share of the server's seats that the level gets, relative to those of others; 30 by default.",
      limitResponse: 'What becomes of requests for which there is no seat.',
      lendablePercent: 'Percentage of its seats that other levels may borrow, 0 to 100; 0 by default.',
      borrowingLimitPercent: 'Seats that it may borrow, in percent of its own; unlimited when unset.',
    },
  },
  'flowcontrol.v1.NonResourcePolicyRule': {
    about: 'Requests for paths outside of resources.',
    fields: {
      verbs: 'HTTP methods in lower case; * for all.',
      nonResourceURLs: 'Paths, such as /healthz/*; * for all.',
    },
  },
  'flowcontrol.v1.PolicyRulesWithSubjects': {
    about: 'Users, and requests of theirs.',
    fields: {
      subjects: 'Users, groups and ServiceAccounts, any of which is enough.',
      resourceRules: 'Requests for resources; one of both lists must not be empty.',
      nonResourceRules: 'Requests for other paths.',
    },
  },
  'flowcontrol.v1.PriorityLevelConfiguration': {
    about: "A level of priority with a share of the server's seats.",
    fields: { spec: 'Seats and queues.', status: 'State of the level.' },
  },
  'flowcontrol.v1.PriorityLevelConfigurationCondition': {
    about: 'A condition of a level.',
    fields: { ...conditionFields },
  },
  'flowcontrol.v1.PriorityLevelConfigurationReference': {
    about: 'A level of priority.',
    fields: { name: 'Name of the level.' },
  },
  'flowcontrol.v1.PriorityLevelConfigurationSpec': {
    about: 'Seats and queues of a level.',
    fields: {
      type: 'Exempt for requests that never wait, Limited for all others; the field of that name is set.',
      limited: 'Settings of the type Limited.',
      exempt: 'Settings of the type Exempt.',
    },
  },
  'flowcontrol.v1.PriorityLevelConfigurationStatus': {
    about: 'State of a level.',
    fields: { conditions: 'Conditions of the level.' },
  },
  'flowcontrol.v1.QueuingConfiguration': {
    about: 'Queues of a level.',
    fields: {
      queues: 'Number of the queues; 64 by default.',
      handSize:
        'Queues of which a request joins the shortest, drawn by its flow; 8 by default, and not more than queues.',
      queueLengthLimit: 'Requests that may wait in one queue; 50 by default. Those beyond are refused.',
    },
  },
  'flowcontrol.v1.ResourcePolicyRule': {
    about: 'Requests for resources.',
    fields: {
      verbs: 'Verbs, such as get or list; * for all.',
      apiGroups: 'API groups; "" for the core group, * for all.',
      resources: 'Resources, such as pods or pods/status; * for all.',
      clusterScope: 'Whether requests without a namespace match; false by default.',
      namespaces: 'Namespaces of the requests; * for all. Required unless clusterScope is true.',
    },
  },
  'flowcontrol.v1.ServiceAccountSubject': {
    about: 'A ServiceAccount.',
    fields: {
      namespace: 'Namespace of the ServiceAccount.',
      name: 'Name of the ServiceAccount; * for all of the namespace.',
    },
  },
  'flowcontrol.v1.Subject': {
    about: 'Whose requests a rule matches; the field of its kind is set.',
    fields: {
      kind: 'User, Group or ServiceAccount.',
      user: 'A user.',
      group: 'A group of users.',
      serviceAccount: 'A ServiceAccount.',
    },
  },
  'flowcontrol.v1.UserSubject': {
    about: 'A user.',
    fields: { name: 'Name of the user; * for all.' },
  },
};
