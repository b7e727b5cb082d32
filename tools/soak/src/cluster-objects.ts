import { finalizers, type ObjectRef } from '@holdfast/core';

/** How the claims of a churn are created. */
export interface ClaimStyle {
  /** Whether the claim has the finalizer that the admission plugin would add. */
  readonly isProtected: boolean;
  /** If left out, the controller has to assign the default class. */
  readonly storageClassName?: string;
}

/** Returns the body of a claim that nothing binds. */
export function claimBody(name: string, { isProtected, storageClassName }: ClaimStyle): object {
  return {
    metadata: { name, ...(isProtected ? { finalizers: [finalizers.pvcProtection] } : {}) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  };
}

/**
 * Returns the body of a pod that is scheduled to a node without a kubelet, so that it stays as it was
 * created.
 */
export function podBody(name: string, claim: ObjectRef | undefined): object {
  return {
    metadata: { name, labels: { app: 'soak' } },
    spec: {
      nodeName: 'soak-node',
      containers: [{ name: 'main', image: 'registry.example.com/soak:1' }],
      volumes:
        claim === undefined ? [] : [{ name: 'data', persistentVolumeClaim: { claimName: claim.name } }],
    },
  };
}
