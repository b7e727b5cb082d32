import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { controllerNames, type ControllerNames } from './controller-names.ts';

/** The app that serves as the model of new ones: the smallest. */
const sibling = 'retroactive-default-sc';

/** Files that are the same for every app except for its name. */
const asOfSibling = [
  ...['LICENSE', 'NOTICE', 'tsconfig.json', 'tsconfig.spec.json'].map((file) => `apps/${sibling}/${file}`),
  ...[
    ...['deployment', 'disruption-budget', 'kustomization', 'namespace', 'network-policy', 'priority-class'],
    'service-account',
  ].map((file) => `deploy/${sibling}/${file}.yaml`),
];

/**
 * Returns the files of a new app, by path in the repository, including existing files that it changes.
 *
 * @param read reads a file of the repository
 * @throws Error for an invalid name
 */
export function controllerFiles(
  app: string,
  read: (path: string) => string,
): Readonly<Record<string, string>> {
  const names = controllerNames(app);
  return Object.fromEntries([
    ...asOfSibling.map((path) => [renamed(path, app), ownWords(renamed(read(path), app))] as const),
    ...fromTemplates('app', `apps/${app}`, names),
    ...fromTemplates('deploy', `deploy/${app}`, names),
    [`apps/${app}/package.json`, manifestText(app, read(`apps/${sibling}/package.json`))],
    [`apps/${app}/tsconfig.lib.json`, projectText(read(`apps/${sibling}/tsconfig.lib.json`))],
    ['eslint.config.js', lintedApps(app, read('eslint.config.js'))],
  ]);
}

/**
 * Fills in the templates of a folder: `{{app}}` and the like stand for names, and `__app__` stands for the
 * name in paths.
 */
function fromTemplates(
  folder: string,
  target: string,
  names: ControllerNames,
): readonly (readonly [path: string, text: string])[] {
  const templates = fileURLToPath(new URL(`../templates/${folder}`, import.meta.url));
  return readdirSync(templates, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = file.slice(templates.length + 1, -'.template'.length).replace('__app__', names.app);
      const text = readFileSync(file, 'utf8').replaceAll(
        /\{\{(app|camel|pascal|snake)\}\}/g,
        (_, name: keyof ControllerNames) => names[name],
      );
      return [`${target}/${path.replaceAll('\\', '/')}`, text] as const;
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function renamed(text: string, app: string): string {
  return text.replaceAll(sibling, app);
}

const firstVersion = '0.1.0';

/**
 * Replaces what differs between apps: the image and its version, and what goes wrong without the controller.
 */
function ownWords(text: string): string {
  return text
    .replaceAll(/^( *image: \S+:)\S+$/gm, `$1${firstVersion}`)
    .replace(/(make room for it): while it does not run, no claim gets its class\./, '$1.');
}

function manifestText(app: string, ofSibling: string): string {
  const manifest = JSON.parse(ofSibling) as { readonly devDependencies: Readonly<Record<string, string>> };
  const devDependencies = Object.entries(manifest.devDependencies).filter(
    ([name]) => !['@holdfast/scenario', 'pino', 'prom-client'].includes(name),
  );
  return JSON.stringify(
    {
      ...manifest,
      name: `@holdfast/${app}`,
      version: firstVersion,
      description: 'Notes on each bound claim which volume it has',
      bin: { [app]: 'dist/main.js' },
      // No other package uses its decisions yet.
      exports: { './package.json': './package.json' },
      devDependencies: Object.fromEntries(devDependencies),
    },
    null,
    2,
  );
}

function projectText(ofSibling: string): string {
  const project = JSON.parse(ofSibling) as { readonly references: readonly { readonly path: string }[] };
  const references = project.references.filter(({ path }) => !path.includes('/scenario/'));
  return JSON.stringify({ ...project, references }, null, 2);
}

/**
 * Adds the app to the list of apps in the lint configuration, which keeps other projects from importing them.
 */
function lintedApps(app: string, config: string): string {
  const list = /^const apps = \[([^\]]*)\];/m;
  if (!list.test(config)) {
    throw new Error(
      'eslint.config.js has no list of apps (const apps = [...]), to which the app would be added',
    );
  }
  return config.replace(
    list,
    (_, apps: string) => `const apps = [${apps.trim().replace(/,$/, '')}, '${app}'];`,
  );
}
