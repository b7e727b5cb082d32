import type { KubernetesObject } from '@holdfast/core';
import type { Informer } from '../cache/informer.ts';
import type { Store } from '../cache/store.ts';
import type { Projection } from '../wire/projection.ts';

/** A store whose indexes the compiler knows. */
export interface IndexedStore<T, Index extends string> extends Omit<Store<T>, 'byIndex'> {
  /** Returns the objects that the index has under the value, in no particular order. */
  byIndex(index: Index, value: string): readonly T[];
}

/** An informer whose indexes the compiler knows. */
export interface Watched<T extends KubernetesObject, Index extends string = never> extends Omit<
  Informer<T>,
  'store'
> {
  readonly store: IndexedStore<T, Index>;
  /** The fields that are kept. Absent: objects are kept whole. */
  readonly projection?: Projection<T>;
}
