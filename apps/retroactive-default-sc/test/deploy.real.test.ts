import { expect } from '@jest/globals';
import { eventually, testDeploy } from '@holdfast/scenario';
import { handOf, openStage } from './stage.ts';

testDeploy({
  app: 'retroactive-default-sc',
  controlPlane: { disableAdmissionPlugins: ['DefaultStorageClass'] },
  openStage,
  work: async (stage, process) => {
    const hand = handOf(stage.client, await stage.namespace());
    await hand.createClaim('data');
    await eventually('the dry run was allowed', () => process.stderr().includes('allows claims to be given'));
    await hand.createClass('gold');
    await eventually('data has gold', async () => (await hand.classOf('data')) === 'gold');
    await eventually('an Event says so', async () => (await hand.eventsOn('data')).length > 0);
    const metrics = await process.metrics();
    expect(metrics).toMatch(/^retroactive_storageclass_total 1$/m);
    expect(metrics).toMatch(/^rest_client_requests_total\{code="201",method="POST"/m);
  },
});
