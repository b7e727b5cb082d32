import { expect, test } from '@jest/globals';
import { describePublisher } from './publisher.ts';

/*
 * The promise of `holdfast rbac` on whatever control plane is chosen: with the role that is made of an operator's
 * requests, nothing is forbidden to it; with any verb less, something is (lesser-role.thorough.test.ts).
 */

describePublisher(({ made, play, accountWith }) => {
  test('its rules -> each by what was asked', () => {
    const grants = made().flatMap(({ kind, rules }) =>
      rules.map(({ resources, verbs }) => `${String(kind)} ${resources.join()} ${verbs.join()}`),
    );
    expect(grants).toEqual([
      'ClusterRole configmaps create,patch',
      'ClusterRole validatingwebhookconfigurations get,patch',
      'ClusterRole events create,patch',
      'ClusterRole sites get,list,watch',
      'ClusterRole sites/status patch',
      'Role secrets create',
      'Role secrets get,patch',
      'Role leases create',
      'Role leases get,patch',
    ]);
  });

  test('bound to a service account -> nothing is forbidden', async () => {
    expect(await play({ kubeconfig: await accountWith(made()) })).toStrictEqual([]);
  });
});
