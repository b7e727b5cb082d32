import type { UserInfo } from '../auth/user-info.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import { type Reinvocation, createReinvocation } from './reinvocation.ts';

/**
 * A write that is being admitted. Mutating plugins change `object` in place. For an action such as
 * pods/binding, `object` is the object that was sent, which is not of the definition's kind.
 */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined for deletions. */
  readonly object: KubeObject | undefined;
  /** Undefined for creations. */
  readonly oldObject: KubeObject | undefined;
  readonly isDryRun: boolean;
  readonly user: UserInfo;
  /** The CreateOptions, UpdateOptions or DeleteOptions of the request, without their kind. */
  readonly options: JsonObject;
  /** Adds a Warning header to the response. */
  readonly warn: (text: string) => void;
  readonly storage: Storage;
}

/** An admission plugin. It refuses a request by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(request: AdmissionRequest, reinvocation: Reinvocation): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

export interface Admission {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}

/**
 * Plugins that kube-apiserver 1.36 enables by default and this server lacks. Disabling them is accepted and
 * has no effect.
 */
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

/**
 * Runs the plugins in their order, without the disabled ones. Throws if a disabled name is not a plugin,
 * because a test that misspells a plugin would otherwise prove nothing.
 */
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
