import { join } from 'node:path';
import ts from 'typescript';

/** A block of TypeScript in a page. */
export interface Snippet {
  /**
   * The file name in its first line, such as `// site.ts`, by which other blocks of the page can import it.
   */
  readonly file: string;
  readonly text: string;
  /** The line of the page on which the text begins, counted from 1. */
  readonly line: number;
}

/**
 * Returns the blocks of a Markdown page that are marked `ts`. A block without a file name cannot be imported
 * by others.
 */
export function snippetsIn(markdown: string): readonly Snippet[] {
  const snippets: Snippet[] = [];
  for (const match of markdown.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const text = match[1] ?? '';
    const line = markdown.slice(0, match.index).split('\n').length + 1;
    snippets.push({ file: /^\/\/ (\S+\.ts)$/m.exec(text)?.[1] ?? `line-${String(line)}.ts`, text, line });
  }
  return snippets;
}

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
  host.getSourceFile = (path, version, ...rest) => {
    const snippet = texts.get(path);
    return snippet === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, snippet.text, version, true);
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
