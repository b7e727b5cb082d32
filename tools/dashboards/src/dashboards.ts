import type { DashboardPlan } from './panel.ts';
import { pvReclaimHonor } from './pv-reclaim-honor.ts';
import { pvcProtection } from './pvc-protection.ts';
import { retroactiveDefaultStorageClass } from './retroactive-default-sc.ts';
import { statefulSetRetention } from './statefulset-pvc-retention.ts';

/** The dashboards, one for each controller. */
export const dashboards: readonly DashboardPlan[] = [
  pvcProtection,
  retroactiveDefaultStorageClass,
  statefulSetRetention,
  pvReclaimHonor,
];
