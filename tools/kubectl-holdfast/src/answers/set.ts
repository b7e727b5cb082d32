import type { ConnectedClient } from '@holdfast/runtime';
import type { WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import { servingIn } from '../cluster/at-work-in.ts';
import { readAtWork, type AtWork } from '../cluster/holdfast-at-work.ts';
import { readSet, type SetState } from '../cluster/read-set.ts';
import { readRelease } from '../cluster/release.ts';
import { retainersOf, type SeenRetainers } from '../cluster/retainers.ts';
import { windowApps, windowKeepers } from '../cluster/window-keepers.ts';
import { withoutDoubles, workloadNamed, workloadsOf } from '../cluster/workload-kinds.ts';
import { explainSet } from '../explain/explain-set.ts';
import type { Answer } from '../output/print.ts';
import { plan } from '../plan/plan.ts';
import type { WindowKeepers } from '../plan/vacancy-wait.ts';
import type { Action } from '../plan/world.ts';
import { explainReport } from '../report/explain-report.ts';
import { planReport } from '../report/plan-report.ts';
import { assumedOf, type Surroundings } from './surroundings.ts';

export async function answerPlan(
  client: ConnectedClient,
  { of, name }: SetName,
  action: Action,
  surroundings: Surroundings,
): Promise<Answer> {
  const { world, volumes, classes, retainers, keepers } = await read(client, { of, name }, surroundings);
  return planReport(world, action, retainers, plan(world, action, retainers, volumes, classes, keepers));
}

export async function answerSet(
  client: ConnectedClient,
  name: string,
  surroundings: Surroundings,
): Promise<Answer> {
  const { world, volumes, classes, retainers, keepers } = await read(
    client,
    { of: undefined, name },
    surroundings,
  );
  const [onScaleDown, onDeletion] = [toNothing, deletion].map((action) =>
    plan(world, action, retainers, volumes, classes, keepers),
  );
  return explainReport(
    explainSet({ world, retainers, onScaleDown: onScaleDown ?? [], onDeletion: onDeletion ?? [] }),
  );
}

const toNothing: Action = { kind: 'scale', replicas: 0 };
const deletion: Action = { kind: 'delete', cascade: 'background' };

/** A set as it is named on the command line. */
interface SetName {
  /** The resource and its group; undefined for StatefulSets of `apps`. */
  readonly of: string | undefined;
  readonly name: string;
}

/** Returns the kinds that any of its Deployments for the namespace serves: each might make claims of the same names. */
function kindsOf(atWork: AtWork, namespace: string): readonly WorkloadResource[] {
  const serving = servingIn(atWork, namespace);
  return (serving.length > 0 ? serving : [atWork]).flatMap(workloadsOf);
}

async function read(
  client: ConnectedClient,
  { of, name }: SetName,
  surroundings: Surroundings,
): Promise<SetState & { readonly retainers: SeenRetainers; readonly keepers: WindowKeepers }> {
  const { namespace, workloads } = surroundings;
  const reading = readAtWork(client, windowApps);
  const kinds = reading.then((found) =>
    withoutDoubles([...workloads, ...kindsOf(found['statefulset-pvc-retention'], namespace)]),
  );
  const [state, release, atWork] = await Promise.all([
    of === undefined
      ? readSet(client, { namespace, name, kinds })
      : kinds.then((known) =>
          readSet(client, { namespace, name, kinds, resource: workloadNamed(of, known) }),
        ),
    readRelease(client),
    reading,
  ]);
  const seen = { world: state.world, release, atWork: atWork['statefulset-pvc-retention'], namespace };
  return {
    ...state,
    retainers: retainersOf(seen, assumedOf(surroundings)),
    keepers: windowKeepers(atWork),
  };
}
