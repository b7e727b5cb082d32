import type { ConnectedClient } from '@holdfast/runtime';
import { lacking } from '../cluster/access.ts';
import { readNamespaces } from '../cluster/existing-namespaces.ts';
import { readInstalled } from '../cluster/holdfast-at-work.ts';
import { readProvisioners } from '../cluster/provisioners.ts';
import { readRelease, type AppName } from '../cluster/release.ts';
import { readServerGates } from '../cluster/server-gates.ts';
import type { Answer } from '../output/print.ts';
import { installedOf, keyOf, namespacesOf } from '../preflight/installed.ts';
import { featureOf, type Feature } from '../preflight/kubernetes-feature.ts';
import { needsOf } from '../preflight/need.ts';
import { obstaclesOf } from '../preflight/obstacles.ts';
import { judgeProvisioner } from '../preflight/provisioner.ts';
import { accessesOf, ownAccesses } from '../preflight/rights.ts';
import { preflightReport } from '../report/preflight-report.ts';
import { appNames } from '../survey/controllers.ts';
import { version } from '../version.ts';

export async function answerPreflight(client: ConnectedClient): Promise<Answer> {
  const [release, serverGates, { atWork, deployed }, seen, ownLacking] = await Promise.all([
    readRelease(client),
    readServerGates(client),
    readInstalled(client, appNames),
    readProvisioners(client),
    lacking(
      client,
      'me',
      ownAccesses.map(({ access }) => access),
    ),
  ]);
  const features = Object.fromEntries(
    appNames.map((app) => [app, featureOf(app, release, serverGates)]),
  ) as Record<AppName, Feature>;
  const provisioners = seen?.map(judgeProvisioner);
  const installed = deployed && installedOf(deployed);
  const isNamed = installed?.some((each) => namespacesOf(each).length > 0) === true;
  const existing = isNamed ? await readNamespaces(client) : undefined;
  const reviewed = await Promise.all(
    (installed ?? []).map(async (each) => {
      const { namespace, serviceAccount } = each;
      const accesses = accessesOf(each);
      return [keyOf(each), await lacking(client, { namespace, serviceAccount }, accesses)] as const;
    }),
  );
  return preflightReport({
    release,
    serverGates,
    needs: needsOf(features, provisioners),
    features,
    provisioners,
    installed,
    atWork,
    obstacles: obstaclesOf({
      ...{ features, provisioners, installed, atWork, existing, ownLacking, version },
      lacking: new Map(
        reviewed.flatMap(([key, missing]) => (missing === undefined ? [] : [[key, missing] as const])),
      ),
    }),
  });
}
