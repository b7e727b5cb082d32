import { readSchemas } from './openapi.ts';
import type { Target } from './target.ts';
import { commandLines } from './targets/command-lines.ts';
import { csiAnswers } from './targets/csi-answers.ts';
import { kubeconfigs } from './targets/kubeconfigs.ts';
import { leases } from './targets/leases.ts';
import { driverSecrets } from './targets/driver-secrets.ts';
import { streams } from './targets/streams.ts';
import { webhooks } from './targets/webhooks.ts';
import { worldTarget } from './targets/world-target.ts';
import { pvReclaimHonorWorld } from './worlds/pv-reclaim-honor.ts';
import { pvcProtectionWorld } from './worlds/pvc-protection.ts';
import { retroactiveDefaultWorld } from './worlds/retroactive-default-sc.ts';
import { retentionWorld } from './worlds/statefulset-pvc-retention.ts';

/** Creates a target for everything that takes input from outside. */
export async function createTargets(): Promise<readonly Target[]> {
  const schemas = await readSchemas();
  return [
    worldTarget(pvcProtectionWorld, schemas),
    worldTarget(retentionWorld, schemas),
    worldTarget(pvReclaimHonorWorld, schemas),
    worldTarget(retroactiveDefaultWorld, schemas),
    streams,
    commandLines,
    kubeconfigs(schemas),
    leases(schemas),
    csiAnswers,
    driverSecrets(schemas),
    webhooks(schemas),
  ] as readonly Target[];
}
