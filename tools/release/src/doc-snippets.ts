import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A block of TypeScript in a page. */
export interface Snippet {
  /**
   * The file name in its first line, such as `// site.ts`, by which other blocks of the page can import it.
   */
  readonly file: string;
  /** The context, if there is one, and the block; what is between them in the page is empty lines here. */
  readonly text: string;
  /** The line of the page on which the text begins, counted from 1. */
  readonly line: number;
}

/** A comment that begins with `ts`, if one is directly above, and a block marked `ts`. */
const block = /^(?:<!-- ts\n((?:(?!-->).)*)-->\n+)?^```ts\n(.*?)^```$/dgms;

/**
 * Returns the blocks of a Markdown page that are marked `ts`. A block without a file name cannot be imported
 * by others.
 *
 * What a block needs and the text has introduced, such as imports, can be declared in a comment above it,
 * which readers of the page don't see. If the comment ends with an opening brace, the block is the body of
 * the function that begins there:
 *
 *     <!-- ts
 *     import { labelMatcher, type Pod } from '@holdfast/core';
 *     declare const pods: readonly Pod[];
 *     -->
 */
export function snippetsIn(markdown: string): readonly Snippet[] {
  const snippets: Snippet[] = [];
  const lineAt = (offset: number): number => markdown.slice(0, offset).split('\n').length;
  for (const { 1: context = '', 2: shown = '', indices } of markdown.matchAll(block)) {
    const [shownAt] = indices?.[2] ?? [0];
    const [start, end] = indices?.[1] ?? [shownAt, shownAt];
    const line = lineAt(start);
    const between = '\n'.repeat(lineAt(shownAt) - lineAt(end));
    const closing = context.trimEnd().endsWith('{') ? '}\n' : '';
    const file = /^\/\/ (\S+\.ts)$/m.exec(shown)?.[1] ?? `line-${String(line)}.ts`;
    snippets.push({ file, text: `${context}${between}${shown}${closing}`, line });
  }
  return snippets;
}

/** Returns the lines of a page, counted from 1, on which an indented block is TypeScript: nothing checks it. */
export function uncheckedIn(markdown: string): readonly number[] {
  const unfenced = markdown.replaceAll(/^```.*?^```$/gms, (fenced) => fenced.replaceAll(/.+/g, ''));
  return unfenced
    .split('\n')
    .flatMap((line, at) =>
      /^ {4}\s*(?:import .* from '|(?:const|let) |await |export )/.test(line) ? [at + 1] : [],
    );
}

/** The files of the language's own declarations that were parsed, by their paths. */
const parsedLibraries = new Map<string, ts.SourceFile>();

/**
 * Compiles the blocks of a page together, each as a module, as files in a folder that need not exist.
 *
 * @param options compiler options, as in tsconfig.json
 * @returns the errors, as `LINE: message` with lines of the page
 */
export function problemsOf(
  snippets: readonly Snippet[],
  folder: string,
  options: ts.CompilerOptions,
): readonly string[] {
  const texts = new Map(snippets.map((snippet) => [join(folder, snippet.file), snippet]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const libraries = dirname(ts.getDefaultLibFilePath(options));
  host.getSourceFile = (path, version, ...rest) => {
    const snippet = texts.get(path);
    if (snippet !== undefined) {
      return ts.createSourceFile(path, snippet.text, version, true);
    }
    const source = parsedLibraries.get(path) ?? getSourceFile(path, version, ...rest);
    if (source !== undefined && dirname(path) === libraries) {
      // To parse them takes longer than to check a page.
      parsedLibraries.set(path, source);
    }
    return source;
  };
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path)?.text ?? readFile(path);
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts].flatMap(([path, { line }]) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ start = 0, messageText }) =>
        `${String(line + (source?.getLineAndCharacterOfPosition(start).line ?? 0))}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

/** Returns the options of a tsconfig.json, including those that it inherits. */
export function compilerOptionsIn(tsconfig: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(tsconfig, (path) => ts.sys.readFile(path)) as {
    readonly config: unknown;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, join(tsconfig, '..')).options;
}
