import { textFlag, type Flag } from '@holdfast/runtime';
import type { WorkloadResource } from './workload.ts';

const text = textFlag({
  description:
    'Kinds whose claims this program handles as it handles those of StatefulSets, as group/version/Kind, separated by commas.',
  placeholder: 'GROUP/VERSION/KIND,...',
  default: 'apps/v1/StatefulSet',
});

/** `--workloads`: the kinds that the app watches. */
export const workloadsFlag: Flag<readonly WorkloadResource[]> = {
  ...text,
  schema: text.schema
    .refine(
      (value) => parseWorkloads(value) !== undefined,
      'expected kinds as group/version/Kind separated by commas, none twice, for example apps/v1/StatefulSet',
    )
    .transform((value) => parseWorkloads(value) ?? []),
};

function parseWorkloads(value: string): readonly WorkloadResource[] | undefined {
  const resources = value.split(',').map((each) => parseWorkload(each.trim()));
  const read = resources.filter((resource) => resource !== undefined);
  const distinct = new Set(read.map(({ group, kind }) => `${kind}.${group}`));
  return distinct.size === resources.length ? read : undefined;
}

const form = /^([a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)\/(v[a-z0-9]+)\/([A-Z][A-Za-z0-9]*)$/;

function parseWorkload(value: string): WorkloadResource | undefined {
  const [, group, version, kind] = form.exec(value) ?? [];
  return group === undefined || version === undefined || kind === undefined
    ? undefined
    : { group, version, kind, plural: pluralOf(kind), namespaced: true };
}

/** Returns the resource's name as API machinery guesses it from the kind (meta.UnsafeGuessKindToResource). */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) {
    return `${singular}es`;
  }
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
