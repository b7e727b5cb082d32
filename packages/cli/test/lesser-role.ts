import { expect, test } from '@jest/globals';
import { startRequestRecorder } from '@holdfast/testing';
import { describePublisher, type Rule } from './publisher.ts';

/**
 * What is not needed as long as a test lasts: a watch that broke, an Event that repeats, a certificate to be renewed.
 */
const isForLater = ({ resources }: Rule, verb: string): boolean =>
  verb === 'list' || (verb === 'patch' && ['events', 'secrets'].some((name) => resources.includes(name)));

/** The other half of the promise in sufficient-role.scenario.test.ts; the operator is started once for each verb. */
export function testLesserRoles(): void {
  describePublisher(({ made, play, accountWith }) => {
    test('any verb less -> something is forbidden, or the operator does not begin to work', async () => {
      const unneeded: string[] = [];
      for (const [of, role] of made().entries()) {
        for (const [at, rule] of role.rules.entries()) {
          for (const verb of rule.verbs.filter((each) => !isForLater(rule, each))) {
            const rules = role.rules.with(at, { ...rule, verbs: rule.verbs.filter((each) => each !== verb) });
            const lesser = made().with(of, { ...role, rules: rules.filter(({ verbs }) => verbs.length > 0) });
            const missed: string[] = [];
            const recorder = await startRequestRecorder(await accountWith(lesser), {
              answered: ({ code, path }) => {
                if (code === 403) {
                  missed.push(path);
                }
              },
            });
            const isFirst = rule.resources.includes('secrets');
            // A busy machine is given the time that an idle one does not need.
            for (const patience of [300, 5_000, 20_000]) {
              if (missed.length === 0) {
                await play({ kubeconfig: recorder.kubeconfig, patience, isFirst }).catch(() => undefined);
              }
            }
            await recorder.close();
            if (missed.length === 0) {
              unneeded.push(`${verb} ${rule.resources.join()}`);
            }
          }
        }
      }
      expect(unneeded).toStrictEqual([]);
    }, 120_000);
  });
}
