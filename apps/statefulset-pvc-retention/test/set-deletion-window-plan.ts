import { expect } from '@jest/globals';
import { eventsV1, persistentVolumeClaims, pods, statefulSets } from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import { marksOf, reconciled, writesOf } from './gives-way.ts';
import { atRest, collected, judged, type Policy, type Stage } from './stage.ts';
import { byAnnotations, windowTest, type WindowScene } from './undo-window-plan.ts';

const hour = 3_600_000;
const retain: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };
const annotations = {
  'holdfast.dev/when-deleted': byAnnotations['holdfast.dev/when-deleted'],
  'holdfast.dev/set-deletion-grace': '1h',
};
const gateOn = 'DeletionGracePeriod=true';
const claims = ['data-web-0', 'data-web-1'] as const;

/**
 * Undo windows for claims of a deleted set; but for one test the policy is in annotations, and the field says Retain.
 *
 * @param retains the StatefulSet controller carries out the field
 * @param part `field`: only the test whose policy is in the field
 */
export function setDeletionWindowPlan(
  stage: () => Stage,
  retains: boolean,
  part: 'all' | 'field' = 'all',
): void {
  const tied = async ({ hand }: WindowScene, isTied = true): Promise<void> => {
    for (const name of claims) {
      await eventually(`${name} is ${isTied ? '' : 'not '}tied to the set`, async () => {
        const claim = await hand.findClaim(name);
        return (claim?.metadata.annotations?.['holdfast.dev/deleted-with'] !== undefined) === isTied;
      });
    }
  };
  const marked = async ({ hand }: WindowScene): Promise<void> => {
    for (const name of claims) {
      await hand.marked(name);
    }
  };
  const unmarked = async ({ hand }: WindowScene): Promise<void> => {
    for (const name of claims) {
      await hand.unmarked(name);
    }
  };
  /** Starts the next process of ours. */
  const startNext = ({ clock }: WindowScene, featureGates = gateOn): Promise<StagedController> =>
    stage().startController({ clock, ...clock.wallClocks, featureGates, yieldToStockController: true });
  const created = async (scene: WindowScene): Promise<readonly (string | undefined)[]> => {
    const { hand } = scene;
    await hand.createSet({ replicas: 2, policy: retain, annotations });
    await hand.running('web-0', 'web-1');
    await tied(scene);
    return dataOf(scene);
  };
  const dataOf = ({ hand }: WindowScene) => Promise.all(claims.map((name) => hand.dataOf(name)));
  const kept = async (scene: WindowScene, data: readonly (string | undefined)[]): Promise<void> => {
    await judged(scene.hand);
    await collected(scene.hand);
    await atRest(stage());
    expect(await dataOf(scene)).toEqual(data);
  };
  const saidToBeKept = ({ hand }: WindowScene): Promise<void> =>
    eventually('an Event says so', async () => {
      const { items } = await stage().client.list(eventsV1, { namespace: hand.namespace });
      return items.some(
        ({ reason, regarding }) => reason === 'ClaimKept' && regarding?.name === 'data-web-0',
      );
    });
  const play = (name: string, course: (scene: WindowScene) => Promise<void>): void =>
    windowTest(stage, `S2: ${name}`, course);

  const byField: Policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
  const window = { 'holdfast.dev/set-deletion-grace': '1h' };
  if (retains) {
    play('field says Delete -> a Warning Event before anything is deleted, no fight', async (scene) => {
      const { hand, ours, warned } = scene;
      await hand.createSet({ replicas: 2, policy: byField, annotations: window });
      await eventually('an Event says so', () => warned('UndoWindowNotHeld'));
      await hand.running('web-0', 'web-1');
      for (const name of claims) {
        await hand.owned(name, 'StatefulSet web*');
      }
      await hand.deleteSet('Background');
      await hand.gone(...claims);
      expect([await writesOf(ours), await marksOf(ours)]).toEqual([0, 0]);
    });
  } else {
    play(
      'field says Delete, nobody carries it out -> tied after 20 s, marked, and gone an hour later',
      async (scene) => {
        const { hand, ours, clock } = scene;
        await hand.createSet({ replicas: 2, policy: byField, annotations: window });
        await hand.running('web-0', 'web-1');
        await reconciled(ours, 'requeue_after', 1);
        await atRest(stage());
        clock.leap(20_000);
        await tied(scene);
        await hand.deleteSet('Background');
        await marked(scene);
        await hand.running();
        clock.leap(hour);
        await hand.gone(...claims);
      },
    );
  }

  if (part === 'field') {
    return;
  }

  for (const cascade of ['Background', 'Foreground'] as const) {
    play(`set deleted, ${cascade} -> claims marked, and gone an hour later`, async (scene) => {
      const { hand, clock } = scene;
      const data = await created(scene);
      await hand.deleteSet(cascade);
      await marked(scene);
      await hand.running();
      clock.leap(hour - 60_000);
      await kept(scene, data);
      clock.leap(60_000);
      await hand.gone(...claims);
    });
  }

  play('scaled to none, then deleted -> claims marked, and gone an hour later', async (scene) => {
    const { hand, clock } = scene;
    await created(scene);
    await hand.scale(0);
    await hand.running();
    await hand.deleteSet('Background');
    await marked(scene);
    clock.leap(hour);
    await hand.gone(...claims);
  });

  play('set deleted and made again -> marks cleared, data there', async (scene) => {
    const { hand, clock } = scene;
    const data = await created(scene);
    await hand.deleteSet('Background');
    await marked(scene);
    await hand.running();
    await hand.createSet({ replicas: 2, policy: retain, annotations });
    await unmarked(scene);
    await hand.running('web-0', 'web-1');
    clock.leap(2 * hour);
    await kept(scene, data);
  });

  play('set deleted, made again with another template -> marks cleared, data there', async (scene) => {
    const { hand, clock } = scene;
    const data = await created(scene);
    await hand.deleteSet('Background');
    await marked(scene);
    await hand.running();
    await hand.createSet({ replicas: 1, policy: retain, templates: ['logs'] });
    await unmarked(scene);
    await hand.deleteSet('Background');
    await hand.running();
    clock.leap(2 * hour);
    await kept(scene, data);
  });

  play('set deleted, its dependents orphaned -> untied, never marked, data there', async (scene) => {
    const { hand, clock } = scene;
    const data = await created(scene);
    await hand.deleteSet('Orphan');
    await tied(scene, false);
    await hand.running('web-0', 'web-1');
    expect(await hand.markOf('data-web-0')).toBeUndefined();
    clock.leap(2 * hour);
    await kept(scene, data);
  });

  play('set deleted, another process is next -> gone an hour after the deletion', async (scene) => {
    const { hand, clock, ours } = scene;
    const data = await created(scene);
    await hand.deleteSet('Background');
    await marked(scene);
    await hand.running();
    await ours.abandon();
    const next = await startNext(scene);
    await kept(scene, data);
    clock.leap(hour);
    await hand.gone(...claims);
    await next.stop();
  });

  play('mark removed by hand -> not marked again, data there', async (scene) => {
    const { hand, clock } = scene;
    await created(scene);
    await hand.deleteSet('Background');
    await marked(scene);
    await hand.running();
    const data = await hand.dataOf('data-web-0');
    await stage().client.patch(persistentVolumeClaims, { namespace: hand.namespace, name: 'data-web-0' }, [
      { op: 'remove', path: '/metadata/annotations/holdfast.dev~1delete-after' },
    ]);
    clock.leap(hour);
    await hand.gone('data-web-1');
    await judged(hand);
    await atRest(stage());
    expect(await hand.dataOf('data-web-0')).toBe(data);
    expect(await hand.markOf('data-web-0')).toBeUndefined();
  });

  play('set deleted while none of ours runs -> kept, an Event on the claim says so', async (scene) => {
    const { hand, clock, ours } = scene;
    const data = await created(scene);
    await ours.stop();
    await hand.deleteSet('Background');
    await hand.running();
    const next = await startNext(scene);
    await saidToBeKept(scene);
    clock.leap(2 * hour);
    await kept(scene, data);
    expect(await hand.markOf('data-web-0')).toBeUndefined();
    await next.stop();
  });

  play('marked, then the gate is turned off -> marks and ties are taken back, data there', async (scene) => {
    const { hand, clock, ours } = scene;
    const data = await created(scene);
    await hand.deleteSet('Background');
    await marked(scene);
    await hand.running();
    await ours.stop();
    const next = await startNext(scene, '');
    await unmarked(scene);
    await tied(scene, false);
    clock.leap(2 * hour);
    await kept(scene, data);
    await next.stop();
  });

  play('an hour later a pod uses a claim -> that one is kept for as long as it does', async (scene) => {
    const { hand, clock } = scene;
    await created(scene);
    await hand.deleteSet('Background');
    await marked(scene);
    await hand.running();
    const data = await hand.dataOf('data-web-0');
    await stage().client.create(pods, hand.namespace, {
      metadata: { name: 'backup' },
      spec: {
        containers: [{ name: 'c', image: 'example.com/none' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }],
      },
    });
    clock.leap(hour);
    await hand.gone('data-web-1');
    expect(await hand.dataOf('data-web-0')).toBe(data);
    await hand.deletePod('backup', 0);
    clock.leap(5_000);
    await hand.gone('data-web-0');
  });

  windowTest(
    stage,
    'R2: set ends with its dependents, held up by a finalizer, and is orphaned while none of ours runs -> kept',
    async (scene) => {
      const { hand, clock, ours } = scene;
      const { client } = stage();
      const ref = { namespace: hand.namespace, name: 'web' };
      await hand.createSet({ replicas: 2, policy: retain, annotations });
      await hand.running('web-0', 'web-1');
      await tied(scene);
      await hand.scale(0);
      await hand.running();
      const data = await dataOf(scene);
      await client.patch(statefulSets, ref, [
        { op: 'add', path: '/metadata/finalizers', value: ['example.com/backup'] },
      ]);
      await hand.deleteSet('Background');
      await kept(scene, data);
      await ours.stop();
      await hand.deleteSet('Orphan');
      await client.patch(statefulSets, ref, [
        { op: 'test', path: '/metadata/finalizers/0', value: 'example.com/backup' },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ]);
      await hand.setGone();
      const next = await startNext(scene);
      await kept(scene, data);
      clock.leap(2 * hour);
      await kept(scene, data);
      expect(await hand.markOf('data-web-0')).toBeUndefined();
      await next.stop();
    },
  );

  windowTest(
    stage,
    'R2: set is deleted, held up by a finalizer for a while -> kept, an Event on the claim says so',
    async (scene) => {
      const { hand, clock } = scene;
      const ref = { namespace: hand.namespace, name: 'web' };
      const data = await created(scene);
      await stage().client.patch(statefulSets, ref, [
        { op: 'add', path: '/metadata/finalizers', value: ['example.com/backup'] },
      ]);
      await hand.deleteSet('Background');
      await judged(hand);
      await stage().client.patch(statefulSets, ref, [{ op: 'remove', path: '/metadata/finalizers' }]);
      await saidToBeKept(scene);
      await hand.running();
      clock.leap(2 * hour);
      await kept(scene, data);
      expect(await hand.markOf('data-web-0')).toBeUndefined();
    },
  );

  play('window taken away, then the set is deleted -> kept', async (scene) => {
    const { hand, clock } = scene;
    const data = await created(scene);
    const { client } = stage();
    await client.patch(statefulSets, { namespace: hand.namespace, name: 'web' }, [
      { op: 'remove', path: '/metadata/annotations/holdfast.dev~1set-deletion-grace' },
    ]);
    await tied(scene, false);
    await hand.deleteSet('Background');
    await hand.running();
    clock.leap(2 * hour);
    await kept(scene, data);
    const { items } = await client.list(persistentVolumeClaims, { namespace: hand.namespace });
    expect(items.flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}))).not.toContain(
      'holdfast.dev/delete-after',
    );
  });
}
