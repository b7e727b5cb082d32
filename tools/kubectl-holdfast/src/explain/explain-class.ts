import { isTerminating, type PersistentVolumeClaim, type StorageClass } from '@holdfast/core';
import { defaultClass, isWaiting } from '@holdfast/retroactive-default-sc/decide';
import type { Case, Explanation, Holder, Step } from './explanation.ts';
import { hasNoProvisioner, whenMade } from './provisioning.ts';

/** A class and everything on which its explanation depends. */
export interface ClassFacts {
  readonly storageClass: StorageClass;
  readonly classes: readonly StorageClass[];
  /** All claims of the cluster. */
  readonly claims: readonly PersistentVolumeClaim[];
}

export function explainClass(facts: ClassFacts): Explanation {
  const { storageClass, claims } = facts;
  const { name } = storageClass.metadata;
  const own = claims.filter(({ spec }) => spec?.storageClassName === name);
  const pending = own.filter(({ status }) => status?.phase === 'Pending');
  const waiting = claims.filter(isWaiting);
  return {
    subject: { kind: 'StorageClass', name },
    state: stateOf(facts),
    holders: holdersOf(facts, own.length, pending.length),
    next: stepsOf(facts, waiting.length, pending.length),
    ifs: casesOf(facts, waiting.length, pending.length),
  };
}

function stateOf({ storageClass, classes }: ClassFacts): string {
  const { provisioner, reclaimPolicy = 'Delete', volumeBindingMode = 'Immediate' } = storageClass;
  const chosen = defaultClass(classes);
  const isChosen = chosen?.metadata.name === storageClass.metadata.name;
  const isMarked = defaultClass([storageClass]) !== undefined;
  const role = isChosen
    ? 'the default class'
    : isMarked
      ? `marked as default, but ${chosen?.metadata.name ?? ''} is the one that counts`
      : 'not the default class';
  return `${role}; provisioner ${provisioner}, reclaim policy ${reclaimPolicy}, binding ${volumeBindingMode}${isTerminating(storageClass) ? ', being deleted' : ''}`;
}

function holdersOf({ storageClass }: ClassFacts, own: number, pending: number): readonly Holder[] {
  const { name } = storageClass.metadata;
  return [
    {
      kind: 'class',
      name,
      holds: false,
      words: `named by ${claimsIn(own)}, ${String(pending)} not bound yet`,
      source: 'provisioning',
    },
  ];
}

function stepsOf(facts: ClassFacts, waiting: number, pending: number): readonly Step[] {
  const { storageClass, classes } = facts;
  const isChosen = defaultClass(classes)?.metadata.name === storageClass.metadata.name;
  return [
    ...(isChosen && waiting > 0
      ? [
          {
            who: 'kube-controller-manager, or Holdfast retroactive-default-sc,',
            does: `gives it to ${claimsIn(waiting)} without a class`,
            source: 'defaultClass',
          } as const,
        ]
      : []),
    ...(pending > 0
      ? [
          {
            who: hasNoProvisioner(storageClass) ? 'an administrator' : storageClass.provisioner,
            does: `makes ${pending === 1 ? 'a volume' : 'volumes'} for ${claimsIn(pending)} not bound yet${whenMade(storageClass)}`,
            source: 'provisioning',
          } as const,
        ]
      : []),
  ];
}

function casesOf({ storageClass, classes }: ClassFacts, waiting: number, pending: number): readonly Case[] {
  const { name } = storageClass.metadata;
  const others = classes.filter(({ metadata }) => metadata.name !== name);
  const isChosen = defaultClass(classes)?.metadata.name === name;
  const next = defaultClass(others)?.metadata.name;
  const kept = 'bound claims and their volumes stay as they are';
  return [
    {
      what: 'it is deleted',
      then: `${kept}${pending > 0 ? `, and ${claimsIn(pending)} ${pending === 1 ? 'waits' : 'wait'} until there is a class of its name again` : ''}${
        isChosen ? `; the default class is then ${next ?? 'none'}` : ''
      }`,
      source: 'provisioning',
    },
    isChosen
      ? {
          what: 'it is not the default any more',
          then: 'claims keep the class that they were given: it is never taken back',
          source: 'defaultClass',
        }
      : {
          what: 'it becomes the default class',
          then: `${claimsIn(waiting)} without class or volume ${waiting === 1 ? 'is' : 'are'} given it`,
          source: 'defaultClass',
        },
  ];
}

function claimsIn(count: number): string {
  return `${String(count)} claim${count === 1 ? '' : 's'}`;
}
