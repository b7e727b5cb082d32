/* The objects that are written, and their paths: small objects, as in tests. */

export const namespaces = '/api/v1/namespaces';
export const mergePatchType = 'application/merge-patch+json';

export function namespace(name: string): unknown {
  return { metadata: { name } };
}

export function configMapsIn(name: string): string {
  return `${namespaces}/${name}/configmaps`;
}

export function configMap(name: string): unknown {
  return { metadata: { name, labels: { app: 'bench' } }, data: { colour: 'blue', shape: 'round' } };
}

export function claimsIn(name: string): string {
  return `${namespaces}/${name}/persistentvolumeclaims`;
}

export function claim(name: string): unknown {
  return {
    metadata: { name, labels: { app: 'bench' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'standard',
    },
  };
}

/** Returns a merge patch of a claim that makes a change every time. */
export function turnPatch(turn: number): unknown {
  return { metadata: { annotations: { 'bench.example.com/turn': String(turn) } } };
}
