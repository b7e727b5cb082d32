import type { AtWork } from '../cluster/holdfast-at-work.ts';
import type { AppName, Release } from '../cluster/release.ts';
import type { Answer, Part } from '../output/print.ts';
import type { Look } from '../output/table.ts';
import { keyOf, type Installed } from '../preflight/installed.ts';
import type { Feature } from '../preflight/kubernetes-feature.ts';
import type { Need } from '../preflight/need.ts';
import type { Obstacle } from '../preflight/obstacles.ts';
import type { ProvisionerFinding } from '../preflight/provisioner.ts';
import { inTheWay } from './exit-codes.ts';

export interface PreflightFacts {
  readonly release: Release | undefined;
  readonly serverGates: ReadonlyMap<string, boolean> | undefined;
  readonly features: Readonly<Record<AppName, Feature>>;
  readonly needs: readonly Need[];
  readonly provisioners: readonly ProvisionerFinding[] | undefined;
  readonly installed: readonly Installed[] | undefined;
  readonly atWork: Readonly<Record<AppName, AtWork>>;
  readonly obstacles: readonly Obstacle[];
}

const neededWords = { yes: 'yes', no: 'no', noUse: 'of no use', unknown: 'unknown' } as const;

export function preflightReport(facts: PreflightFacts): Answer {
  const { release, serverGates, features, needs, provisioners, installed, atWork, obstacles } = facts;
  const gatesFrom = serverGates === undefined ? 'release' : 'apiServerMetrics';
  return {
    code: obstacles.some(({ level }) => level === 'stops') ? inTheWay : 0,
    object: {
      kind: 'Preflight',
      ...{
        kubernetes: release?.text,
        gatesFrom,
        controllers: needs.map(({ app, needed, because, adds }) => ({
          ...{ name: app, needed, because, adds },
          kubernetes: features[app],
        })),
        provisioners: provisioners ?? 'unknown',
        installed:
          installed?.map(({ flags, ...each }) => ({
            ...each,
            atWork: stateOf(each, atWork),
            flags: Object.fromEntries(flags),
          })) ?? 'unknown',
        obstacles,
      },
    },
    names: needs.filter(({ needed }) => needed === 'yes').map(({ app }) => `controller/${app}`),
    parts: [
      {
        kind: 'text',
        lines: [
          `Kubernetes ${release?.text ?? 'of a release that is not known'}.`,
          serverGates === undefined
            ? "Feature gates by the release's defaults: the API server's metrics don't say."
            : "Feature gates by the API server's metrics; kube-controller-manager is taken to have the same, no API shows its own.",
        ],
      },
      needTable(needs, features),
      addsTable(needs),
      ...provisionerParts(provisioners),
      ...installedParts(installed, atWork),
      ...obstacleParts(obstacles),
    ],
  };
}

function needTable(needs: readonly Need[], features: PreflightFacts['features']): Part {
  return {
    kind: 'table',
    headings: ['CONTROLLER', 'NEEDED', "KUBERNETES' GATE", 'WHY'],
    rows: needs.map(({ app, needed, because }) => [
      app,
      { text: neededWords[needed], look: needed === 'yes' ? 'good' : 'faint' },
      features[app].gate,
      because,
    ]),
  };
}

/** A table of its own, since terminals break the lines of one that is wider than they are. */
function addsTable(needs: readonly Need[]): Part {
  return {
    kind: 'table',
    headings: ['CONTROLLER', 'ADDS TO KUBERNETES'],
    rows: needs.map(({ app, adds }) => [app, adds]),
  };
}

const doesWords: Readonly<Record<ProvisionerFinding['does'], readonly [string, Look]>> = {
  honors: ['deletes in any order', 'good'],
  hangs: ['leaves volumes terminating', 'bad'],
  strips: ['takes the finalizer off', 'bad'],
  ignores: ['knows no finalizer', 'bad'],
  unknown: ['unknown', 'faint'],
};

function provisionerParts(provisioners: readonly ProvisionerFinding[] | undefined): readonly Part[] {
  return provisioners === undefined || provisioners.length === 0
    ? []
    : [
        {
          kind: 'table',
          headings: ['NAMESPACE', 'CSI-PROVISIONER', 'DOES', 'BECAUSE', 'PV-RECLAIM-HONOR'],
          rows: provisioners.map(({ namespace, workload, does, because, run }) => {
            const [text, look] = doesWords[does];
            return [namespace, workload, { text, look }, because, run];
          }),
        },
      ];
}

function installedParts(
  installed: readonly Installed[] | undefined,
  atWork: PreflightFacts['atWork'],
): readonly Part[] {
  if (installed === undefined) {
    return [
      {
        kind: 'text',
        lines: ['It is not known whether Holdfast is deployed: you may not list deployments.'],
      },
    ];
  }
  if (installed.length === 0) {
    return Object.values(atWork).some(({ state }) => state === 'atWork')
      ? []
      : [{ kind: 'text', lines: ['No controller of Holdfast is deployed.'] }];
  }
  return [
    {
      kind: 'table',
      headings: ['NAMESPACE', 'DEPLOYMENT', 'VERSION', 'READY', 'AT WORK'],
      rows: installed.map((each) => [
        each.namespace,
        each.name,
        each.version ?? '-',
        `${String(each.ready)}/${String(each.replicas)}`,
        { atWork: 'yes', absent: 'no', unknown: 'unknown' }[stateOf(each, atWork)],
      ]),
    },
  ];
}

/** A controller can be deployed several times, and not be at work in each. */
function stateOf(
  installed: Pick<Installed, 'app' | 'namespace' | 'name'>,
  atWork: PreflightFacts['atWork'],
): AtWork['state'] {
  const own = atWork[installed.app];
  const found = [own, ...(own.others ?? [])].find(({ deployment }) => deployment === keyOf(installed));
  return (found ?? own).state;
}

function obstacleParts(obstacles: readonly Obstacle[]): readonly Part[] {
  return obstacles.length === 0
    ? [{ kind: 'text', lines: ['Nothing stands in the way.'] }]
    : [
        {
          kind: 'table',
          headings: ['LEVEL', 'IN THE WAY', 'WAY OUT'],
          rows: obstacles.map(({ level, what, wayOut }) => [
            { text: level, look: level === 'stops' ? 'bad' : 'faint' },
            what,
            wayOut,
          ]),
        },
      ];
}
