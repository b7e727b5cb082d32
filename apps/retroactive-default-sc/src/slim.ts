import { persistentVolumeClaims, storageClasses } from '@holdfast/core';
import { createProjection } from '@holdfast/runtime';
import { claimAnnotations, defaultClassAnnotations } from './decide.ts';

const { betaClass, bindCompleted } = claimAnnotations;
const [isDefault, isDefaultBeta] = defaultClassAnnotations;

/** The fields of a claim that decide whether it waits. */
export const slimClaim = createProjection(persistentVolumeClaims, {
  metadata: { deletionTimestamp: true, annotations: { [betaClass]: true, [bindCompleted]: true } },
  spec: { storageClassName: true, volumeName: true },
});

/** The fields of a class that decide whether it is the default one. */
export const slimStorageClass = createProjection(storageClasses, {
  metadata: {
    creationTimestamp: true,
    deletionTimestamp: true,
    annotations: { [isDefault]: true, [isDefaultBeta]: true },
  },
});
