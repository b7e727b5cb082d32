import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, oneLine } from './exit-code.ts';

/** A request of an operator, with the attributes that authorization uses. */
export interface OperatorRequest {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Empty for a path that is not a resource. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for requests to the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly isApply: boolean;
}

/** An object that belongs to the operator and has the same name in every installation. */
export interface OwnObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What an operator requested in one test, as `testOperator` of `@holdfast/runtime/testing` writes it. */
export interface RecordedTest {
  readonly operator: string;
  /** The file of the test. */
  readonly test: string;
  /** The namespaces that the operator watched; empty: all. */
  readonly namespaces: readonly string[];
  readonly own: readonly OwnObject[];
  readonly requests: readonly OperatorRequest[];
}

const format = 'holdfast-requests/1';

/**
 * Returns what was recorded in the folders, file by file in the order of their names.
 *
 * @throws CommandError for a folder that cannot be read or is empty, and for a file of another kind.
 */
export async function readRecordedTests(folders: readonly string[]): Promise<readonly RecordedTest[]> {
  return (await Promise.all(folders.map(readFolder))).flat();
}

async function readFolder(folder: string): Promise<readonly RecordedTest[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new CommandError(`${folder} can't be read: ${oneLine(error)}; ${wayOut(folder)}`);
  });
  const files = names.filter((name) => name.endsWith('.json')).toSorted();
  if (files.length === 0) {
    throw new CommandError(`${folder} holds no requests; ${wayOut(folder)}`);
  }
  return Promise.all(files.map((name) => readRecordedTest(join(folder, name))));
}

function wayOut(folder: string): string {
  return `run the operator's tests with HOLDFAST_RECORD_REQUESTS=${folder}`;
}

async function readRecordedTest(path: string): Promise<RecordedTest> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(`${path} can't be read: ${oneLine(error)}; remove it, and run the tests again`);
  }
  if (
    typeof content !== 'object' ||
    content === null ||
    !('format' in content) ||
    content.format !== format
  ) {
    throw new CommandError(
      `${path} is not of the format ${format}; remove it, and run the tests again with the same release of @holdfast/runtime`,
    );
  }
  return content as unknown as RecordedTest;
}
