import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { oneLine } from './exit-code.ts';
import type { Definition, FoundDefinition } from './found-definition.ts';

/*
 * Loads modules in a thread of their own, so that none of them can hold up the program, end it, or write
 * between its lines.
 */

/** The modules to load. */
export interface ModulesToLoad {
  readonly modules: readonly { readonly name: string; readonly path: string }[];
}

/** The progress of loading: the thread reports each module that it begins with, and the end. */
export type LoadReport =
  | { readonly kind: 'loading'; readonly module: string }
  | { readonly kind: 'loaded'; readonly found: readonly FoundDefinition[] }
  | { readonly kind: 'failed'; readonly message: string };

const send = (report: LoadReport): void => parentPort?.postMessage(report);

const found = new Map<object, FoundDefinition>();
// This is not awaited: if a module waited forever, Node would print the position in this file.
void load(workerData as ModulesToLoad).then(send);

async function load({ modules }: ModulesToLoad): Promise<LoadReport> {
  for (const { name, path } of modules) {
    send({ kind: 'loading', module: name });
    let exported: Readonly<Record<string, unknown>>;
    try {
      exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
    } catch (error) {
      return {
        kind: 'failed',
        message: `${name} can't be loaded: ${oneLine(error)}${error instanceof SyntaxError ? `; ${wayOut(name, error)}` : ''}`,
      };
    }
    // The exports of a CommonJS module are its default export.
    const { default: whole } = exported;
    const values = [...Object.entries(exported), ...(isObject(whole) ? Object.entries(whole) : [])];
    const resources = values.flatMap(([key, value]) => {
      const definition = definitionOf(value);
      return definition === undefined ? [] : [{ module: name, name: key, definition }];
    });
    if (resources.length === 0) {
      return { kind: 'failed', message: `${name} exports no resource; export what defineResource returned` };
    }
    for (const resource of resources) {
      if (!found.has(resource.definition)) {
        found.set(resource.definition, resource);
      }
    }
  }
  return { kind: 'loaded', found: [...found.values()] };
}

function wayOut(name: string, { message }: SyntaxError): string {
  return name.endsWith('.ts') && message.includes('outside a module')
    ? `its package is CommonJS: name the compiled file, or call this one ${name.replace(/ts$/, 'mts')}`
    : `node ${name} shows where`;
}

/**
 * Recognizes a definition by its form, not by its class, since the module might have another copy of the
 * package.
 */
function definitionOf(value: unknown): Definition | undefined {
  const definition = isObject(value) ? value['definition'] : undefined;
  return isObject(definition) && definition['kind'] === 'CustomResourceDefinition'
    ? (definition as unknown as Definition)
    : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
