import {
  containersOfApp,
  flagsOf,
  hiddenFlagsOf,
  namespacesIn,
  readImage,
  type Deployment,
} from '../cluster/deployment.ts';
import { leaseNameOf } from '../cluster/holdfast-at-work.ts';
import { appNames } from '../survey/controllers.ts';
import type { AppName } from '../cluster/release.ts';

/** A Deployment of one of the controllers. */
export interface Installed {
  readonly app: AppName;
  readonly namespace: string;
  readonly name: string;
  /** The version by the tag of its image; undefined if there is no tag. */
  readonly version: string | undefined;
  readonly image: string;
  readonly replicas: number;
  readonly ready: number;
  readonly serviceAccount: string;
  readonly flags: ReadonlyMap<string, string>;
  /** Why these might not be all of its flags; undefined if they are. */
  readonly hidden: string | undefined;
}

export function installedOf(deployed: readonly Deployment[]): readonly Installed[] {
  return deployed
    .flatMap((deployment): readonly Installed[] => {
      const { metadata, spec, status } = deployment;
      const app = appNames.find((each) => each === metadata.labels?.['app.kubernetes.io/name']);
      if (app === undefined) {
        return [];
      }
      const containers = containersOfApp(deployment, app);
      const image = containers[0]?.image ?? '';
      return [
        {
          app,
          namespace: metadata.namespace ?? '',
          name: metadata.name,
          version: readImage(image).tag,
          image,
          replicas: spec?.replicas ?? 1,
          ready: status?.readyReplicas ?? 0,
          serviceAccount: spec?.template?.spec?.serviceAccountName ?? 'default',
          flags: new Map(
            containers.flatMap((container) => [...flagsOf(container, metadata.namespace ?? '')]),
          ),
          hidden: hiddenFlagsOf(containers, metadata.namespace ?? ''),
        },
      ];
    })
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export function keyOf({ namespace, name }: Pick<Installed, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** The namespaces that the controller serves; empty for all. */
export function namespacesOf({ flags }: Pick<Installed, 'flags'>): readonly string[] {
  return namespacesIn(flags.get('namespaces') ?? '');
}

/** Whether there is a namespace that both serve. */
export function overlap(one: Installed, other: Installed): boolean {
  const [mine, theirs] = [namespacesOf(one), namespacesOf(other)];
  return mine.length === 0 || theirs.length === 0 || mine.some((namespace) => theirs.includes(namespace));
}

/** The lease that its processes compete for; undefined without leader election. */
export function leaseOf({
  app,
  namespace,
  flags,
}: Pick<Installed, 'app' | 'namespace' | 'flags'>):
  { readonly namespace: string; readonly name: string } | undefined {
  return flags.get('leader-elect') === 'false'
    ? undefined
    : {
        namespace: flags.get('leader-elect-resource-namespace') ?? namespace,
        name: leaseNameOf(app, flags),
      };
}
