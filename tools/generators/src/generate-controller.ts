import { formatFiles, type Tree } from '@nx/devkit';
import { controllerFiles } from './controller-files.ts';

/**
 * `npx nx g holdfast:controller NAME`: creates an app with its deploy base, modelled on the smallest existing
 * app. The new app is complete and has tests, so that each change to it can be tested too.
 *
 * @returns the task to run after the files are written, which prints what is left to do
 * @throws Error for a name that is invalid or taken
 */
export default async function generateController(
  tree: Tree,
  { name }: { readonly name: string },
): Promise<() => void> {
  if (tree.exists(`apps/${name}`) || tree.exists(`deploy/${name}`)) {
    throw new Error(`apps/${name} or deploy/${name} is there already; choose another name, or remove it`);
  }
  const files = controllerFiles(name, (path) => {
    const text = tree.read(path, 'utf8');
    if (text === null) {
      throw new Error(`${path} is missing, after which the controller would be made`);
    }
    return text;
  });
  for (const [path, text] of Object.entries(files)) {
    tree.write(path, text);
  }
  await formatFiles(tree);
  return () => process.stdout.write(whatIsLeft(name));
}

function whatIsLeft(name: string): string {
  return `
apps/${name} is complete, and does something small to each bound claim. Next:

  npm install                      the workspace, and the lock file, get to know it
  npm test -- apps/${name}
  and from there on as CONTRIBUTING.md says under "A fifth controller": dashboard, alerts, runbooks, policies, components,
  docs/permissions.md, the chart, tools/perturb, tools/mutate.
`;
}
