import { finalizers, type ObjectRef } from '@holdfast/core';

/** How the claims of a churn are made. */
export interface ClaimStyle {
  /** With the finalizer that the admission plugin would put on. */
  readonly isProtected: boolean;
  /** Without, the default class is the controller's to give. */
  readonly storageClassName?: string;
}

/** Body of a claim that nothing binds. */
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

/** Body of a pod that is scheduled, to a node that has no kubelet: it stays as it is made. */
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
