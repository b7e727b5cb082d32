import { expect, test } from '@jest/globals';
import { configMaps, persistentVolumes, type ApiResource, type KubernetesObject } from '@holdfast/core';
import { selectorsOf, type CollectionChoice } from '../../src/client/collection-choice.ts';

/** `all` from a program that the compiler has not seen. */
const unchecked = (choice: object): CollectionChoice => choice as CollectionChoice;

test.each<{ choice: CollectionChoice; sent: object }>([
  { choice: 'all', sent: {} },
  { choice: { labelSelector: 'app=web' }, sent: { labelSelector: 'app=web' } },
  { choice: { fieldSelector: 'metadata.name=a' }, sent: { fieldSelector: 'metadata.name=a' } },
  {
    choice: { labelSelector: '!app', fieldSelector: 'status.phase!=Running,' },
    sent: { labelSelector: '!app', fieldSelector: 'status.phase!=Running,' },
  },
])('$choice -> $sent', ({ choice, sent }) => {
  expect(selectorsOf(configMaps, 'shop', choice)).toEqual(sent);
  expect(selectorsOf(persistentVolumes, undefined, choice)).toEqual(sent);
});

test.each<{ choice: CollectionChoice; says: string }>([
  { choice: { labelSelector: '' }, says: 'labelSelector "" selects everything' },
  { choice: { labelSelector: ' \t\n' }, says: 'labelSelector " \\t\\n" selects everything' },
  { choice: { fieldSelector: '' }, says: 'fieldSelector "" selects everything' },
  { choice: { fieldSelector: ' , ,' }, says: 'fieldSelector " , ," selects everything' },
  { choice: { labelSelector: 'app=web', fieldSelector: '' }, says: 'fieldSelector "" selects everything' },
  {
    choice: { labelSelector: '', fieldSelector: 'metadata.name=a' },
    says: 'labelSelector "" selects everything',
  },
  { choice: unchecked({}), says: 'neither labelSelector nor fieldSelector is given' },
])('$choice -> refused, with the way to say all', ({ choice, says }) => {
  expect(() => selectorsOf(configMaps, 'shop', choice)).toThrow(says);
  expect(() => selectorsOf(configMaps, 'shop', choice)).toThrow("say 'all'");
});

test.each<{ what: string; resource: ApiResource<KubernetesObject>; namespace?: string; says: RegExp }>([
  {
    what: 'namespaced resource without a namespace',
    resource: configMaps,
    says: /configmaps of all namespaces/,
  },
  {
    what: 'resource of the cluster with one',
    resource: persistentVolumes,
    namespace: 'shop',
    says: /persistentvolumes of namespace "shop": they have none, and those of the whole cluster would go/,
  },
])('$what -> refused', ({ resource, namespace, says }) => {
  for (const choice of ['all', { labelSelector: 'app=web' }] as const) {
    expect(() => selectorsOf(resource, namespace, choice)).toThrow(says);
  }
});
