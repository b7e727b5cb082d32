import { apiVersionOf, type Pod } from '@holdfast/core';
import { isWanted, policyOf } from '@holdfast/statefulset-pvc-retention/decide';
import type { SeenRetainers } from '../cluster/retainers.ts';
import { createFootnotes } from '../output/footnotes.ts';
import type { Answer, Part } from '../output/print.ts';
import type { Cell } from '../output/table.ts';
import { sources } from '../sources.ts';
import { ordinalOfPod } from '../plan/ordinals.ts';
import { fieldAlone } from '../plan/field-alone.ts';
import type { ClaimPlan, PossibleOutcome } from '../plan/plan.ts';
import { sourceOf, wordsOf } from '../plan/reason.ts';
import { isProtected, stayWords } from '../plan/deletion-protection.ts';
import { dataWords, type VolumeFate } from '../plan/volume-fate.ts';
import { waitOfClaims } from '../plan/wait-of-claims.ts';
import type { Action, HoldfastGates, World } from '../plan/world.ts';

/** The report of `plan` about a set. */
export function planReport(
  world: World,
  action: Action,
  retainers: SeenRetainers,
  plans: readonly ClaimPlan[],
): Answer {
  const { namespace = '', name } = world.set.metadata;
  return {
    code: 0,
    object: objectOf(world, action, retainers, plans),
    names: plans.map(({ claim }) => `persistentvolumeclaim/${claim}`),
    parts: [
      {
        kind: 'text',
        lines: [
          headline(world, action, plans),
          policyLine(world),
          ...controllerLines(world, retainers),
          ...waitLines(world, retainers, plans),
          ...warnings(world, action),
          ...protectionLines(world, plans),
        ],
      },
      ...claimParts(plans, `${namespace}/${name}`, namespace),
    ],
  };
}

function claimParts(plans: readonly ClaimPlan[], set: string, namespace: string): readonly Part[] {
  if (plans.length === 0) {
    return [{ kind: 'text', lines: [`No claim is named after the templates of ${set}.`] }];
  }
  const footnotes = createFootnotes();
  const rows = plans.flatMap((plan) =>
    rowsOf(plan, (outcome) => footnotes.mark(sourceOf[outcome.reason.code])),
  );
  const later = plans.flatMap(({ outcomes }) => outcomes.filter(({ fate }) => fate === 'goesLater'));
  const isMarked = ({ reason }: PossibleOutcome): boolean => reason.code !== 'ScaleDownCollected';
  return [
    { kind: 'table', headings: ['CLAIM', 'FATE', 'UNDO', 'DATA', 'WHY'], rows },
    ...(later.length > 0
      ? [
          {
            kind: 'text',
            lines: [
              ...(later.some(isMarked)
                ? [
                    `To keep a claim that goes later: kubectl annotate pvc NAME -n ${namespace} holdfast.dev/delete-after-`,
                  ]
                : []),
              ...(later.every(isMarked)
                ? []
                : ['To keep a claim of an ordinal that was scaled down earlier: set whenScaled to Retain.']),
            ],
          } as const,
        ]
      : []),
    footnotes.part(),
  ];
}

function isClaimProtected(claims: World['claims'], name: string): boolean {
  const claim = claims.get(name);
  return claim !== undefined && isProtected(claim);
}

function protectionLines({ claims }: World, plans: readonly ClaimPlan[]): readonly string[] {
  const names = plans
    .filter(
      ({ claim, outcomes }) =>
        isClaimProtected(claims, claim) && outcomes.some(({ fate }) => fate !== 'stays'),
    )
    .map(({ claim }) => claim);
  return names.length === 0 ? [] : [`I${stayWords(names).slice(1)}.`];
}

/** Returns one row for each possible outcome. */
function rowsOf(
  { claim, outcomes, volume }: ClaimPlan,
  mark: (outcome: PossibleOutcome) => string,
): readonly (readonly Cell[])[] {
  return outcomes.map((outcome, index) => {
    const { fate, until, reason, assuming } = outcome;
    const condition = outcomes.length === 1 ? '' : `${assumptionWords(assuming, outcomes)}: `;
    return [
      index === 0 ? claim : '',
      fateCell(outcomes.length === 1 ? fate : `${fate}?`, fate),
      fate === 'stays' ? '-' : undoWords(until, volume),
      fate === 'stays' ? '-' : dataWords(volume),
      `${condition}${wordsOf(reason)} ${mark(outcome)}`,
    ];
  });
}

function fateCell(text: string, fate: PossibleOutcome['fate']): Cell {
  return { text: text.replace('goesLater', 'goes later'), look: fate === 'stays' ? 'good' : 'bad' };
}

/** Describes how long a claim that goes can be recovered, and by what. */
function undoWords(until: string | undefined, volume: VolumeFate): string {
  if (until !== undefined) {
    return `until ${until}`;
  }
  switch (volume.data) {
    case 'kept':
      return 'volume by hand';
    case 'leftBehind':
      return 'new volume by hand';
    case 'deletedLater':
      return `volume for ${volume.window ?? 'a while'}`;
    case 'unknown':
      return 'unknown';
    case 'deleted':
      if (volume.isClassUnread === true) {
        return 'unknown';
      }
      return volume.window === undefined || volume.isUnusable === true
        ? 'no'
        : `volume for ${volume.window}, if it is given`;
    case 'none':
    case 'missing':
    case 'foreign':
    case 'scrubbed':
      return 'no';
  }
}

/** Describes what one of several outcomes assumes, as far as that distinguishes it from the others. */
function assumptionWords(
  assuming: PossibleOutcome['assuming'],
  outcomes: readonly PossibleOutcome[],
): string {
  const differs = (key: keyof PossibleOutcome['assuming']): boolean =>
    outcomes.some((other) => (other.assuming[key] !== undefined) !== (assuming[key] !== undefined)) ||
    outcomes.some((other) => typeof assuming[key] !== 'object' && other.assuming[key] !== assuming[key]);
  const words = [
    ...(differs('stockAtWork')
      ? [assuming.stockAtWork ? 'if kube-controller-manager carries it out' : 'if it does not']
      : []),
    ...(differs('holdfast')
      ? [
          assuming.holdfast === undefined
            ? 'without statefulset-pvc-retention'
            : 'with statefulset-pvc-retention',
        ]
      : []),
    ...(outcomes.some((other) => isOtherGates(other.assuming.holdfast, assuming.holdfast))
      ? [gateWords(assuming)]
      : []),
    ...(differs('settledBefore')
      ? [assuming.settledBefore ? 'once the controllers have caught up' : 'if it is done right now']
      : []),
    ...(differs('unknownOwners')
      ? [
          assuming.unknownOwners === 'lives'
            ? 'as long as its other owner lives'
            : 'once its other owner is gone',
        ]
      : []),
  ];
  return words.join(', ');
}

function isOtherGates(a: HoldfastGates | undefined, b: HoldfastGates | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

function gateWords({ holdfast }: PossibleOutcome['assuming']): string {
  if (holdfast?.enabled('StatefulSetAutoDeletePVC') === false) {
    return 'with StatefulSetAutoDeletePVC turned off';
  }
  return holdfast?.enabled('DeletionGracePeriod') === true
    ? 'with all of its gates on'
    : 'with its default gates';
}

function headline(world: World, action: Action, plans: readonly ClaimPlan[]): string {
  const { namespace = '', name } = world.set.metadata;
  const count = (fate: PossibleOutcome['fate']): number =>
    plans.filter(({ outcomes }) => outcomes.length === 1 && outcomes[0].fate === fate).length;
  const open = plans.filter(({ outcomes }) => outcomes.length > 1).length;
  const [go, later, stay] = [count('goes'), count('goesLater'), count('stays')];
  const parts = [
    `${String(go)} ${go === 1 ? 'goes' : 'go'}`,
    ...(later > 0 ? [`${String(later)} ${later === 1 ? 'goes' : 'go'} later`] : []),
    ...(open > 0 ? [`${String(open)} might go`] : []),
    `${String(stay)} ${stay === 1 ? 'stays' : 'stay'}`,
  ];
  const { replicas } = world.set.spec ?? {};
  const what =
    action.kind === 'scale'
      ? `scaled from ${String(replicas)} to ${String(action.replicas)}`
      : `deleted, --cascade=${action.cascade}`;
  return `${world.resource.kind} ${namespace}/${name} ${what}: of ${String(plans.length)} claims, ${parts.join(', ')}.`;
}

function policyLine({ set }: World): string {
  const { whenScaled, whenDeleted } = policyOf(set);
  return `Policy: whenScaled ${whenScaled}, whenDeleted ${whenDeleted}.`;
}

/** Describes which controllers carry out the policy, and what shows that. */
function controllerLines({ set }: World, { stock, holdfast, because }: SeenRetainers): readonly string[] {
  const alone = fieldAlone(set);
  const state = (what: string) => ({
    atWork: `carries ${what}`,
    gatesUnknown: `carries ${what}`,
    absent: 'does not carry it out',
    unknown: `might carry ${what}`,
  });
  return [
    `kube-controller-manager ${state(alone === undefined ? 'it out' : `out ${alone}`)[stock]}: ${because.stock}.`,
    `statefulset-pvc-retention ${state('it out')[typeof holdfast === 'object' ? 'atWork' : holdfast]}: ${because.holdfast}.`,
  ];
}

function waitLines({ now }: World, retainers: SeenRetainers, plans: readonly ClaimPlan[]): readonly string[] {
  const words = waitOfClaims(retainers, plans, now);
  return words === undefined ? [] : [`statefulset-pvc-retention ${words}.`];
}

function warnings({ set, pods, unread }: World, action: Action): readonly string[] {
  const { deletionTimestamp } = set.metadata;
  const lines = unread.map(
    ({ plural, group }) =>
      `${plural}.${group} could not be listed: whether one of them makes claims of these names is not known.`,
  );
  if (deletionTimestamp !== undefined) {
    lines.push(
      `The set is being deleted already, since ${deletionTimestamp}: what follows is what becomes of that.`,
    );
  }
  if (action.kind === 'scale' && set.spec?.podManagementPolicy !== 'Parallel') {
    const after = {
      ...set,
      ...(set.spec === undefined ? {} : { spec: { ...set.spec, replicas: action.replicas } }),
    };
    const unready = pods.filter((pod) => {
      const ordinal = ordinalOfPod(set, pod);
      return ordinal !== undefined && isWanted(after, ordinal) && !isReady(pod);
    });
    const isScaledDown = pods.some((pod) => {
      const ordinal = ordinalOfPod(set, pod);
      return ordinal !== undefined && !isWanted(after, ordinal);
    });
    if (unready.length > 0 && isScaledDown) {
      const names = unready.map(({ metadata }) => metadata.name).join(', ');
      lines.push(`The scale-down waits until ${names} is ready (podManagementPolicy OrderedReady).`);
    }
  }
  return lines;
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

function nothingDueBefore(wait: SeenRetainers['wait'], now: number): { readonly nothingDueBefore?: string } {
  return wait?.kind === 'until' && wait.time > now
    ? { nothingDueBefore: new Date(wait.time).toISOString() }
    : {};
}

function objectOf(
  { resource, set, claims, now }: World,
  action: Action,
  { release, stock, holdfast, because, wait }: SeenRetainers,
  plans: readonly ClaimPlan[],
): Answer['object'] {
  const { namespace, name } = set.metadata;
  return {
    kind: 'StatefulSetPlan',
    ...{ workload: { apiVersion: apiVersionOf(resource), kind: resource.kind } },
    ...{ namespace, name, action, policy: policyOf(set) },
    ...{
      controllers: {
        kubernetes: release?.text,
        'kube-controller-manager': { state: stock, because: because.stock },
        'statefulset-pvc-retention': {
          state: typeof holdfast === 'object' || holdfast === 'gatesUnknown' ? 'atWork' : holdfast,
          because: because.holdfast,
          ...nothingDueBefore(wait, now),
        },
      },
      claims: plans.map(({ claim, ordinal, outcomes, volume }) => ({
        name: claim,
        ordinal,
        ...(isClaimProtected(claims, claim) ? { deletionProtection: true } : {}),
        fate: outcomes.length > 1 ? 'depends' : outcomes[0].fate,
        outcomes: outcomes.map((outcome) => ({
          fate: outcome.fate,
          ...(outcome.until === undefined ? {} : { until: outcome.until }),
          ...(outcomes.length > 1 ? { assuming: assumptionWords(outcome.assuming, outcomes) } : {}),
          reason: outcome.reason.code,
          message: wordsOf(outcome.reason),
          source: sources[sourceOf[outcome.reason.code]],
        })),
        volume,
      })),
    },
  };
}
