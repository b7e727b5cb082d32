import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** What is wrong with a tarball, as those who install it would notice. */
export async function packageProblems(tarball: string): Promise<readonly string[]> {
  const data = new Uint8Array(await readFile(tarball));
  const { problems, isImported } = await manifestProblems(data);
  return [...problems, ...(isImported ? await typeProblems(data) : [])];
}

/** What package.json promises and the files do not hold, by publint: suggestions count as well. */
async function manifestProblems(data: Uint8Array<ArrayBuffer>) {
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer }, strict: true });
  return {
    problems: messages.map(
      (message) => `publint: ${message.code}: ${formatMessage(message, pkg, { color: false }) ?? ''}`,
    ),
    isImported: isImported((pkg as { readonly exports?: unknown }).exports),
  };
}

/** Not so a package that is there for its program alone, and says by `exports` that it has nothing else. */
function isImported(exports: unknown): boolean {
  return typeof exports !== 'object' || exports === null || '.' in exports;
}

/** Where types and code part, in each way to resolve them that we support, by arethetypeswrong. */
async function typeProblems(data: Uint8Array): Promise<readonly string[]> {
  const result = await checkPackage(createPackageFromTarballData(data));
  if (result.types === false) {
    return ['types: the package has none'];
  }
  const problems = result.problems.filter((problem) => !isMeant(problem)).map(describe);
  return [...new Set(problems)];
}

/**
 * The packages are ES modules and have `exports`: Node 22 requires such modules, and TypeScript lets CommonJS import them
 * from 5.8 on. Resolution as in Node 10 reads no `exports`, and no Node that we run on does it so.
 */
function isMeant(problem: Problem): boolean {
  return (
    problem.kind === 'CJSResolvesToESM' ||
    ('resolutionKind' in problem && problem.resolutionKind === 'node10')
  );
}

/** Each kind of problem says where it is by members of its own, of which texts are for people. */
function describe({ kind, ...where }: Problem): string {
  const texts = Object.values(where).filter((value) => typeof value === 'string');
  return `types: ${kind}: ${texts.join(', ')}`;
}
