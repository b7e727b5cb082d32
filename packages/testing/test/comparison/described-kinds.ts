import { type Fields, type Story, stories } from '../../../apiserver/test/recorded/kind-requests.ts';
import { type Kind, builtInKind, partRequests, scaleRequests } from './random-kind.ts';

/* The kinds that a schema describes, made of the objects, changes and mistakes whose answers were recorded. */

/** Those whose objects something in kube-apiserver acts on, be it with a status, a repair or a refusal. */
const neverStored: readonly string[] = [
  'apiservices',
  'flowschemas',
  'ipaddresses',
  'limitranges',
  'prioritylevelconfigurations',
  'resourcequotas',
  'servicecidrs',
];

/** Of stories that never create an object of the kind, or one with a list that is given empty, whose owner differs. */
const leasts: Readonly<Record<string, Fields>> = {
  endpointslices: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.2'] }] },
  apiservices: {
    spec: {
      group: '$NS.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { name: 's', namespace: '$NS' },
    },
  },
  flowschemas: { spec: { priorityLevelConfiguration: { name: 'global-default' } } },
};

const names: Readonly<Record<string, Kind['nameOf']>> = {
  apiservices: () => 'v1.$NS.example.com',
  ipaddresses: (letter) => (letter === 'a' ? '10.9.8.7' : '10.9.8.8'),
};

const withScale: readonly string[] = ['deployments', 'replicasets', 'replicationcontrollers'];

/** Stories about one trait of a kind that has another file's objects. */
const isOfKind = ([name]: readonly [string, Story]): boolean =>
  !name.startsWith('odd ') && !/s of (?!auto)/.test(name);

export const describedKinds: readonly Kind[] = Object.entries(stories)
  .filter(isOfKind)
  .map(([, story]) => kindOf(story));

/**
 * Conditions with their times. A signing request gets that of the write for them: in another second it is a change, in
 * the same one it is none.
 */
function timed(fields: Fields): Fields {
  const { status } = fields as { readonly status?: Fields };
  const conditions = status?.['conditions'] as readonly Fields[] | undefined;
  return conditions === undefined
    ? fields
    : {
        ...fields,
        status: {
          ...status,
          conditions: conditions.map((condition) => ({
            ...condition,
            lastUpdateTime: '2026-01-01T00:00:00Z',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          })),
        },
      };
}

function kindOf(story: Story): Kind {
  const [, group = 'v1', plural = ''] =
    /^\/apis?\/(.*?)\/(?:namespaces\/\$NS\/)?(\w+)$/.exec(story.collection) ?? [];
  const { parts = [] } = story;
  // What autoscaling/v1 has no field for goes through annotations there, and a write that changes nothing can be an
  // event.
  const status = group === 'autoscaling/v1' ? undefined : story.status;
  const written = plural === 'certificatesigningrequests' ? timed : (fields: Fields): Fields => fields;
  // Which addresses are of a type is looked at here no closer than that they are some.
  const changes = (story.changes ?? []).filter((change) => change['addressType'] === undefined);
  return builtInKind(group, plural, {
    ...(names[plural] === undefined ? undefined : { nameOf: names[plural] }),
    least: leasts[plural] ?? story.least ?? {},
    others: (story.others ?? []).map((fields) => ({ ...fields, metadata: undefined })),
    changes,
    statuses: status === undefined ? [] : [written(status)],
    own: (one) => [
      ...parts.flatMap(([part, fields]) => partRequests(one, part, [written(fields)])),
      ...(withScale.includes(plural) ? scaleRequests(one) : []),
    ],
    isNeverStored: neverStored.includes(plural),
  });
}
