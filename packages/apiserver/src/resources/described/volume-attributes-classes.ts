import { type FieldError, forbiddenField, invalid, required, tooLong } from '../../meta/field-error.ts';
import { jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

interface VolumeAttributesClass extends KubeObject {
  driverName: string;
  parameters?: { [key: string]: string };
}

/** storage.k8s.io/v1 */
export const volumeAttributesClasses = describedResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  shortNames: ['vac'],
  namespaced: false,
  struct: 'storage.v1.VolumeAttributesClass',
  storageVersionHash: 'tIjydgKBC5w=',
  returnsDeletedObject: true,
  refusals({ driverName, parameters = {} }: VolumeAttributesClass, old) {
    const before = old as VolumeAttributesClass | undefined;
    return [
      ...(before === undefined || driverName === before.driverName
        ? []
        : [forbiddenField('driverName', 'updates to driverName are forbidden.')]),
      ...(before === undefined || jsonEqual(parameters, before.parameters ?? {})
        ? []
        : [forbiddenField('parameters', 'updates to parameters are forbidden.')]),
      ...(driverName === ''
        ? [required('driverName')]
        : qualifiedNameProblems(driverName.toLowerCase()).map((problem) =>
            invalid('driverName', driverName.toLowerCase(), problem),
          )),
      ...validateParameters(parameters),
    ];
  },
  shown: [
    text<VolumeAttributesClass>('DriverName', 'Whose volumes it is for', ({ driverName }) => driverName),
    age,
  ],
});

const most = { parameters: 512, bytes: 256 * 1024 };

function validateParameters(parameters: { [key: string]: string }): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > most.parameters) {
    return [tooLong('parameters', most.parameters)];
  }
  const size = entries.reduce((sum, texts) => sum + Buffer.byteLength(texts.join('')), 0);
  return [
    ...entries.flatMap(([key]) =>
      key === '' ? [invalid('parameters', key, 'field can not be empty.')] : [],
    ),
    ...(size > most.bytes ? [tooLong('parameters', most.bytes)] : []),
    ...(entries.length === 0 ? [required('parameters', 'must contain at least one key/value pair')] : []),
  ];
}
