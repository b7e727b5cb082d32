import type { ProjectNames } from './project-names.ts';
import { manifestText, readmeText, tsconfigText, type ProjectVersions } from './project-settings.ts';
import { commandText, controllerText, decideText, kindsText, mainText } from './project-sources.ts';
import { decideTestText, operatorTestText } from './project-tests.ts';

/** Returns the files of a new operator's project, by their paths in it. */
export function projectFiles(
  names: ProjectNames,
  versions: ProjectVersions,
): Readonly<Record<string, string>> {
  return {
    'package.json': manifestText(names, versions),
    'tsconfig.json': tsconfigText,
    'README.md': readmeText(names),
    '.gitignore': 'node_modules/\ndist/\nrequests/\n',
    'src/kinds.ts': kindsText(names),
    'src/command.ts': commandText(names),
    'src/decide.ts': decideText(names),
    'src/controller.ts': controllerText(names),
    'src/main.ts': mainText(names),
    'test/decide.test.ts': decideTestText(names),
    'test/operator.test.ts': operatorTestText(names),
  };
}
