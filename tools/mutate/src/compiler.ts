import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Mutant } from './mutants.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Returns whether the file still compiles with a mutant in it. A mutant that does not compile cannot be
 * written by mistake, and needs no test. Errors about unused code do not count, because an author could
 * remove that code, too.
 *
 * @param file path from the root of the repository
 * @param text its text
 * @returns throws if the file does not compile without a mutant
 */
export function createCompiler(file: string, text: string): (mutant: Mutant) => boolean {
  const path = `${root}${file}`;
  const base = ts.readConfigFile(`${root}tsconfig.base.json`, (name) => readFileSync(name, 'utf8'));
  const { options } = ts.convertCompilerOptionsFromJson(
    (base.config as { compilerOptions: object }).compilerOptions,
    root,
  );
  let version = 0;
  let changed = text;
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({
      ...options,
      composite: false,
      noEmit: true,
      allowImportingTsExtensions: true,
      noUnusedLocals: false,
      noUnusedParameters: false,
    }),
    getScriptFileNames: () => [path],
    getScriptVersion: (name) => (name === path ? String(version) : '0'),
    getScriptSnapshot: (name) => {
      const content = name === path ? changed : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (each) => ts.getDefaultLibFilePath(each),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath === undefined ? {} : { realpath: ts.sys.realpath }),
  });
  const isValid = (content: string): boolean => {
    changed = content;
    version += 1;
    return service.getSyntacticDiagnostics(path).length + service.getSemanticDiagnostics(path).length === 0;
  };
  let isChecked = false;
  return ({ start, end, replacement }) => {
    if (!isChecked && !isValid(text)) {
      throw new Error(`${file} does not compile as it is: run npm run typecheck`);
    }
    isChecked = true;
    return isValid(text.slice(0, start) + replacement + text.slice(end));
  };
}
