import { applyClaimSpecDefaults } from './claim-spec.ts';
import type { Container, PodSpec, Volume } from './pod-spec.ts';
import { inThousandths } from '../schema/quantity.ts';
import { applySourceDefaults } from './volume-sources.ts';

/* The defaults of pod specs, for pods and for templates. */

const defaultMode = 0o644;

export function applyPodSpecDefaults(spec: PodSpec): void {
  for (const volume of spec.volumes ?? []) {
    applyVolumeDefaults(volume);
  }
  for (const container of spec.initContainers ?? []) {
    applyContainerDefaults(container);
  }
  for (const container of [...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])]) {
    applyContainerDefaults(container);
  }
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  if (spec.serviceAccountName === undefined && spec.serviceAccount !== undefined) {
    spec.serviceAccountName = spec.serviceAccount;
  } else if (spec.serviceAccountName !== undefined) {
    spec.serviceAccount = spec.serviceAccountName;
  }
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
  roundAmounts(spec.resources?.limits);
  roundAmounts(spec.resources?.requests);
  roundAmounts(spec.overhead);
}

function applyContainerDefaults(container: Container): void {
  for (const port of container.ports ?? []) {
    port.protocol ??= 'TCP';
  }
  for (const variable of container.env ?? []) {
    const { fieldRef, fileKeyRef } = variable.valueFrom ?? {};
    if (fieldRef !== undefined) {
      fieldRef.apiVersion ??= 'v1';
    }
    if (fileKeyRef !== undefined) {
      fileKeyRef.optional ??= false;
    }
  }
  const { postStart, preStop } = container.lifecycle ?? {};
  for (const hook of [postStart, preStop]) {
    if (hook?.httpGet !== undefined) {
      hook.httpGet.path ??= '/';
      hook.httpGet.scheme ??= 'HTTP';
    }
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe === undefined) {
      continue;
    }
    if (probe.httpGet !== undefined) {
      probe.httpGet.path ??= '/';
      probe.httpGet.scheme ??= 'HTTP';
    }
    if (probe.grpc !== undefined) {
      probe.grpc.service ??= '';
    }
    probe.timeoutSeconds ??= 1;
    probe.periodSeconds ??= 10;
    probe.successThreshold ??= 1;
    probe.failureThreshold ??= 3;
  }
  roundAmounts(container.resources.limits);
  roundAmounts(container.resources.requests);
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  container.imagePullPolicy ??= pullPolicyOf(container.image);
}

function pullPolicyOf(image = ''): string {
  return isLatest(image) ? 'Always' : 'IfNotPresent';
}

function roundAmounts(amounts: { [resource: string]: string } | undefined): void {
  for (const name in amounts) {
    amounts[name] = inThousandths(amounts[name] ?? '0');
  }
}

const longestRepository = 255;

/** The full name of an image, with the default registry and its default folder. */
function wholeName(repository: string): string {
  const [first = '', ...rest] = repository.split('/');
  if (rest.length === 0) {
    return `docker.io/library/${repository}`;
  }
  return /[.:]|^localhost$/.test(first) ? repository : `docker.io/${repository}`;
}

function isLatest(image: string): boolean {
  // An invalid reference has no tag either.
  if (image.includes('@') || /[^\w./:-]/.test(image) || image === '') {
    return false;
  }
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  const repository = tag === undefined ? image : image.slice(0, -tag.length - 1);
  if (wholeName(repository).length > longestRepository) {
    return false;
  }
  return tag === undefined || tag === 'latest';
}

function applyVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === 'name')) {
    volume.emptyDir = {};
  }
  applySourceDefaults(volume);
  if (volume.image !== undefined) {
    volume.image.pullPolicy ??= pullPolicyOf(volume.image.reference);
  }
  if (volume.configMap !== undefined) {
    volume.configMap.defaultMode ??= defaultMode;
  }
  if (volume.secret !== undefined) {
    volume.secret.defaultMode ??= defaultMode;
  }
  if (volume.hostPath !== undefined) {
    volume.hostPath.type ??= '';
  }
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= defaultMode;
    for (const item of volume.downwardAPI.items ?? []) {
      if (item.fieldRef !== undefined) {
        item.fieldRef.apiVersion ??= 'v1';
      }
    }
  }
  if (volume.projected !== undefined) {
    volume.projected.defaultMode ??= defaultMode;
    for (const source of volume.projected.sources ?? []) {
      if (source.serviceAccountToken !== undefined) {
        source.serviceAccountToken.expirationSeconds ??= 3600;
      }
      for (const item of source.downwardAPI?.items ?? []) {
        if (item.fieldRef !== undefined) {
          item.fieldRef.apiVersion ??= 'v1';
        }
      }
    }
  }
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template !== undefined) {
    applyClaimSpecDefaults(template.spec);
  }
}
