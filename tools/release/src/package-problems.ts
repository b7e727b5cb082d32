import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Returns what is wrong with a tarball from the point of view of users who install it. */
export async function packageProblems(tarball: string): Promise<readonly string[]> {
  const data = new Uint8Array(await readFile(tarball));
  const { problems, isImported } = await manifestProblems(data);
  return [...problems, ...(isImported ? await typeProblems(data) : [])];
}

/** What package.json declares but the files lack, found by publint; suggestions count as well. */
async function manifestProblems(data: Uint8Array<ArrayBuffer>) {
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer }, strict: true });
  return {
    problems: messages.map(
      (message) => `publint: ${message.code}: ${formatMessage(message, pkg, { color: false }) ?? ''}`,
    ),
    isImported: isImported((pkg as { readonly exports?: unknown }).exports),
  };
}

/** False for a package that consists only of its program, which its `exports` shows. */
function isImported(exports: unknown): boolean {
  return typeof exports !== 'object' || exports === null || '.' in exports;
}

/** Where types and code disagree, for each supported kind of module resolution, found by arethetypeswrong. */
async function typeProblems(data: Uint8Array): Promise<readonly string[]> {
  const result = await checkPackage(createPackageFromTarballData(data));
  if (result.types === false) {
    return ['types: the package has none'];
  }
  const problems = result.problems.filter((problem) => !isMeant(problem)).map(describe);
  return [...new Set(problems)];
}

/**
 * Filters out intended problems. The packages are ES modules with `exports`: Node 22 can require such
 * modules, and TypeScript lets CommonJS import them since 5.8. Resolution as in Node 10 ignores `exports`,
 * but no supported Node resolves that way.
 */
function isMeant(problem: Problem): boolean {
  return (
    problem.kind === 'CJSResolvesToESM' ||
    ('resolutionKind' in problem && problem.resolutionKind === 'node10')
  );
}

/**
 * Each kind of problem has its own members for the location; only those that are texts are meant for people.
 */
function describe({ kind, ...where }: Problem): string {
  const texts = Object.values(where).filter((value) => typeof value === 'string');
  return `types: ${kind}: ${texts.join(', ')}`;
}
