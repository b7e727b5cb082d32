import { dump } from 'js-yaml';
import type { Definition } from './found-definition.ts';

/** Returns the file name of a definition: `example.com_sites.yaml`. */
export function fileNameOf({ spec }: Definition): string {
  return `${spec.group}_${spec.names.plural}.yaml`;
}

/** Returns the definition as a YAML document, which is the same for the same definition. */
export function yamlOf(definition: Definition): string {
  return `# Made by holdfast crd. Change the kind where it is defined.\n${dump(definition, { noRefs: true, lineWidth: -1 })}`;
}
