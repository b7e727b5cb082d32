import type { KubeObject } from '../../meta/kube-object.ts';
import { applyPodSpecDefaults } from '../pod-spec-defaults.ts';
import { type PodTemplate, validatePodTemplate } from '../pod-template.ts';
import { describedResource } from './described-resource.ts';
import { containerColumns, printLabels, text } from './shown.ts';
import { templateWarnings } from './workload.ts';

interface StoredTemplate extends KubeObject {
  template: PodTemplate;
}

/** core/v1 */
export const podTemplates = describedResource({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  struct: 'core.v1.PodTemplate',
  storageVersionHash: 'LIXB2x4IFpk=',
  hasGeneration: true,
  returnsDeletedObject: true,
  applyDefaults({ template }: StoredTemplate) {
    applyPodSpecDefaults(template.spec);
  },
  refusals: ({ template }: StoredTemplate) => validatePodTemplate(template, 'template'),
  warnings: ({ template }: StoredTemplate, old) =>
    templateWarnings(template, (old as StoredTemplate | undefined)?.template, 'template'),
  shown: [
    ...containerColumns((object) => (object as StoredTemplate).template.spec, 0),
    text<StoredTemplate>('Pod Labels', 'The labels for the pod template.', ({ template }) =>
      printLabels(template.metadata.labels),
    ),
  ],
});
