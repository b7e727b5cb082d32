import { priorityLevelConfigurations } from '../resources/described/flow-control.ts';
import type { PriorityLevel } from '../resources/described/priority-level-validation.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { keyspaceOf, type ResourceDefinition } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import type { Metric } from './text-format.ts';

/** Metrics of what is stored, and of what follows from it. */
export function storedMetrics(storage: Storage, registry: ResourceRegistry): readonly Metric[] {
  const keyspaces = new Set(registry.all.filter(isStored).map(keyspaceOf));
  return [
    {
      name: 'apiserver_storage_objects',
      help: 'Stored objects of each resource.',
      type: 'gauge',
      samples: [...keyspaces].map((keyspace) => ({
        labels: { resource: keyspace.split('/').reverse().join('.') },
        value: storage.list(keyspace).length,
      })),
    },
    {
      name: 'apiserver_flowcontrol_nominal_limit_seats',
      help: 'Requests at a time that each priority level is meant to have. Nothing holds them to it.',
      type: 'gauge',
      samples: nominalLimits(
        storage.list(keyspaceOf(priorityLevelConfigurations)).map(({ object }) => object as PriorityLevel),
      ),
    },
  ];
}

function isStored({ isReview, createdAs, observe }: ResourceDefinition): boolean {
  return isReview !== true && createdAs === undefined && observe === undefined;
}

/**
 * The number of concurrent requests that kube-apiserver allows by default: 400 that read and 200 that write.
 */
const allSeats = 600;

function nominalLimits(levels: readonly PriorityLevel[]): Metric['samples'] {
  const sharesOf = ({ spec }: PriorityLevel): number =>
    (spec.exempt ?? spec.limited)?.nominalConcurrencyShares ?? 0;
  const sum = levels.reduce((total, level) => total + sharesOf(level), 0);
  return levels.map((level) => ({
    labels: { priority_level: level.metadata.name ?? '' },
    value: sum === 0 ? 0 : Math.ceil((allSeats * sharesOf(level)) / sum),
  }));
}
