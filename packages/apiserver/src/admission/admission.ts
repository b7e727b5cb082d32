import type { UserInfo } from '../auth/user-info.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import { type Reinvocation, createReinvocation } from './reinvocation.ts';

/**
 * A write on its way in. Mutating plugins change `object` in place. Actions such as pods/binding come with the object they
 * were sent, which is not of the definition's kind.
 */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent for deletions. */
  readonly object: KubeObject | undefined;
  /** Absent for creations. */
  readonly oldObject: KubeObject | undefined;
  readonly isDryRun: boolean;
  readonly user: UserInfo;
  /** The CreateOptions, UpdateOptions or DeleteOptions of the request, without kind. */
  readonly options: JsonObject;
  /** Takes what goes into Warning headers. */
  readonly warn: (text: string) => void;
  readonly storage: Storage;
}

/** One plugin. Throws a StatusError to refuse. */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(request: AdmissionRequest, reinvocation: Reinvocation): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

export interface Admission {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** Plugins that kube-apiserver 1.36 has on by default and this server lacks: turning them off is accepted and does nothing. */
const absentPlugins = [
  'ServiceAccount',
  'PodSecurity',
  'PodGroupProtection',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'PodTopologyLabels',
  'PodGroupWorkloadExists',
  'NodeDeclaredFeatureValidator',
  'JobValidation',
  'PodResizeValidator',
];

/** The plugins in their order. Throws when a name to turn off is no plugin: with a typing error in it a test would prove nothing. */
export function createAdmission(plugins: readonly AdmissionPlugin[], disabled: readonly string[]): Admission {
  const known = new Set([...plugins.map((plugin) => plugin.name), ...absentPlugins]);
  for (const name of disabled) {
    if (!known.has(name)) {
      throw new Error(`no admission plugin named "${name}" to turn off; there are ${[...known].join(', ')}`);
    }
  }
  const active = plugins.filter((plugin) => !disabled.includes(plugin.name));
  return {
    async mutate(request) {
      const reinvocation = createReinvocation();
      for (;;) {
        for (const plugin of active) {
          const pending = plugin.mutate?.(request, reinvocation);
          if (pending !== undefined) {
            await pending;
          }
        }
        if (!reinvocation.begin()) {
          return;
        }
      }
    },
    async validate(request) {
      for (const plugin of active) {
        const pending = plugin.validate?.(request);
        if (pending !== undefined) {
          await pending;
        }
      }
    },
  };
}
