import {
  Application,
  LogLevel,
  ReflectionKind,
  type DeclarationReflection,
  type ProjectReflection,
} from 'typedoc';

/** A module that others import. */
export interface EntryPoint {
  /** As it is imported, for example `@holdfast/core/custom-resource`. */
  readonly name: string;
  /** Path of its source. */
  readonly source: string;
}

/** The pages of modules, and what they lack. */
export interface ApiDocs {
  /** Exports without a doc comment: `@holdfast/core: keyOf`. */
  readonly undocumented: readonly string[];
  /** Writes the pages into a folder, in HTML. */
  write(folder: string): Promise<void>;
}

/**
 * Reads what modules export, and what is said about it.
 *
 * @param tsconfig path of the one that has them all.
 * @throws Error when the sources can't be read; typedoc has logged why.
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
    // `npm run typecheck` does that.
    skipErrorChecking: true,
    entryPoints: entryPoints.map(({ source }) => source),
    basePath: root,
    // Of a single one it would have the exports for those of the project.
    alwaysCreateEntryPointModule: true,
    // It is not decided where the sources are read. The template makes no link; without one their paths are not kept at all.
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

/** Calls each module as it is imported; typedoc calls it by its path. */
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

/** What is exported on behalf of another package is that package's to document. */
function undocumentedIn(module: DeclarationReflection): readonly string[] {
  return (module.children ?? [])
    .filter((child) => !child.isReference() && !child.flags.isExternal && !isDocumented(child))
    .map(({ name }) => `${module.name}: ${name}`);
}

/** A function has its comment at its signatures. */
function isDocumented(declaration: DeclarationReflection): boolean {
  return (
    declaration.hasComment() || (declaration.signatures ?? []).some((signature) => signature.hasComment())
  );
}
