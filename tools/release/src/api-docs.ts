import {
  Application,
  LogLevel,
  ReflectionKind,
  type DeclarationReflection,
  type ProjectReflection,
} from 'typedoc';

/** A module that other packages import. */
export interface EntryPoint {
  /** The name by which it is imported, for example `@holdfast/core/custom-resource`. */
  readonly name: string;
  /** The path of its source. */
  readonly source: string;
}

/** The API pages of modules, and the exports that lack documentation. */
export interface ApiDocs {
  /** Exports without a doc comment: `@holdfast/core: keyOf`. */
  readonly undocumented: readonly string[];
  /** Writes the pages into a folder, as HTML. */
  write(folder: string): Promise<void>;
}

/**
 * Reads what modules export, with the doc comments.
 *
 * @param tsconfig path of one that covers all the modules
 * @throws Error if the sources can't be read; typedoc has logged why
 */
export async function readApiDocs(
  entryPoints: readonly EntryPoint[],
  tsconfig: string,
  root: string,
): Promise<ApiDocs> {
  const app = await Application.bootstrap({
    name: 'Holdfast',
    readme: 'none',
    tsconfig,
    // `npm run typecheck` checks for errors.
    skipErrorChecking: true,
    entryPoints: entryPoints.map(({ source }) => source),
    basePath: root,
    // Otherwise, if there is a single module, typedoc would treat its exports as those of the project.
    alwaysCreateEntryPointModule: true,
    // There is no decision yet on where readers find the sources. The template creates no link, but without
    // one typedoc would not keep the paths at all.
    disableGit: true,
    sourceLinkTemplate: '#',
    logLevel: LogLevel.Error,
  });
  const project = await app.convert();
  if (project === undefined) {
    throw new Error('the sources can not be read: see above');
  }
  return {
    undocumented: nameModules(project, entryPoints).flatMap(undocumentedIn),
    write: (folder) => app.generateDocs(project, folder),
  };
}

/** Names each module as it is imported; typedoc names it by its path. */
function nameModules(
  project: ProjectReflection,
  entryPoints: readonly EntryPoint[],
): readonly DeclarationReflection[] {
  const modules = project.getChildrenByKind(ReflectionKind.Module);
  for (const module of modules) {
    const file = module.sources?.[0]?.fullFileName;
    module.name = entryPoints.find(({ source }) => source === file)?.name ?? module.name;
  }
  return modules;
}

/** Exports that come from another package must be documented in that package. */
function undocumentedIn(module: DeclarationReflection): readonly string[] {
  return (module.children ?? [])
    .filter((child) => !child.isReference() && !child.flags.isExternal && !isDocumented(child))
    .map(({ name }) => `${module.name}: ${name}`);
}

/** The comment of a function is attached to its signatures. */
function isDocumented(declaration: DeclarationReflection): boolean {
  return (
    declaration.hasComment() || (declaration.signatures ?? []).some((signature) => signature.hasComment())
  );
}
