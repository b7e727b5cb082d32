import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { binaryPath } from './binaries.ts';
import { etcdServers, type Etcd } from './etcd.ts';
import { featureGatesFlag } from './feature-gates-flag.ts';
import { isAddressInUse, onFreePort } from './free-port.ts';
import { probeHttps } from './https-probe.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { startProcess, untilReady, type RunningProcess } from './process.ts';
import type { ServiceAccountKeys } from './service-account-keys.ts';
import { writeServingCertificate } from './serving-certificate.ts';

export interface KubeApiServerOptions {
  /** The folder of the binaries. */
  readonly binaries: string;
  /** The control plane's own folder, which holds etcd's socket. */
  readonly folder: string;
  readonly guard: OrphanGuard;
  readonly etcd: Pick<Etcd, 'process'>;
  readonly serviceAccountKeys: ServiceAccountKeys;
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** The port to serve on; undefined for a free one. */
  readonly port: number | undefined;
  /** The rules of an audit policy; undefined to audit nothing. */
  readonly auditRules: readonly object[] | undefined;
}

export interface KubeApiServer {
  /** `https://127.0.0.1:<port>`, unchanged by a restart. */
  readonly url: string;
  /** The bearer token of a user in the group system:masters. */
  readonly token: string;
  /** PEM of the certificate authority that signed the server's certificate, unchanged by a restart. */
  readonly ca: string;
  /** The pid of the process that serves now. */
  pid(): number;
  /**
   * Kills the server (SIGKILL) and starts it on the same port; resolves when it is ready. Restarts run one after the
   * other.
   *
   * @param meanwhile awaited while it does not run. Default: nothing.
   */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

const auditPolicy = 'audit-policy.json';
/** The file in the control plane's own folder that holds one audit event per line, as JSON. */
export const auditLog = 'audit.log';
/** MiB after which kube-apiserver would rename the log and start a new one. 0 would mean 100. */
const auditLogLimit = 100_000;

/** How many times a restart tries to get its old port, 200 ms apart. */
const restartAttempts = 25;

/**
 * Starts kube-apiserver. Resolves when /readyz reports ready: by then RBAC's default roles and the system
 * namespaces exist.
 */
export async function startKubeApiServer(options: KubeApiServerOptions): Promise<KubeApiServer> {
  const { folder } = options;
  const token = randomBytes(24).toString('base64url');
  await writeFile(join(folder, 'tokens.csv'), `${token},holdfast-admin,holdfast-admin,"system:masters"\n`, {
    mode: 0o600,
  });
  const ca = await writeServingCertificate(join(folder, 'certs'), 'apiserver');
  if (options.auditRules !== undefined) {
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: options.auditRules };
    await writeFile(join(folder, auditPolicy), JSON.stringify(policy));
  }

  const launch = (port: number): Promise<RunningProcess> =>
    startProcess({
      name: 'kube-apiserver',
      command: binaryPath(options.binaries, 'kube-apiserver'),
      cwd: folder,
      guard: options.guard,
      args: flags(options, port),
    });
  const untilServing = (starting: RunningProcess, port: number): Promise<void> =>
    untilReady(starting, async () => {
      try {
        // Another program on this port cannot present this process' certificate, and another server of this
        // process refuses the token.
        const { status, body } = await probeHttps(`https://127.0.0.1:${port}/readyz`, token, ca);
        return status === 200 ? 'ready' : `/readyz answered ${status}: ${body.trim()}`;
      } catch (error) {
        return String(error);
      }
    }, [options.etcd.process()]);

  const launchOn = async (port: number): Promise<{ port: number; process: RunningProcess }> => {
    const starting = await launch(port);
    await untilServing(starting, port);
    return { port, process: starting };
  };
  const first = await (options.port === undefined ? onFreePort(launchOn) : launchOn(options.port));
  const { port } = first;

  let serving = first.process;
  let stopped = false;
  const killAndServe = async (meanwhile: () => Promise<void>): Promise<void> => {
    await serving.kill();
    await meanwhile();
    for (let attempt = 1; ; attempt++) {
      if (stopped) {
        throw new Error('kube-apiserver was stopped while it restarted');
      }
      serving = await launch(port);
      try {
        await untilServing(serving, port);
        return;
      } catch (error) {
        if (attempt === restartAttempts || !isAddressInUse(error)) {
          throw error;
        }
        await pause(200);
      }
    }
  };

  let lastRestart: Promise<unknown> = Promise.resolve();
  return {
    url: `https://127.0.0.1:${port}`,
    token,
    ca,
    pid: () => serving.pid,
    restart(meanwhile = () => Promise.resolve()) {
      const restarted = lastRestart.then(() => killAndServe(meanwhile));
      // The next restart might succeed even if this one fails.
      lastRestart = restarted.catch(() => undefined);
      return restarted;
    },
    async stop() {
      stopped = true;
      await serving.stop();
    },
  };
}

function flags(options: KubeApiServerOptions, port: number): string[] {
  const { enableAdmissionPlugins, disableAdmissionPlugins, serviceAccountKeys } = options;
  return [
    `--etcd-servers=${etcdServers}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // Without this flag kube-apiserver looks for a default route, and exits if there is none.
    '--advertise-address=127.0.0.1',
    // The reconciler does not accept a loopback address as an endpoint, and would log errors forever.
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--cert-dir=certs',
    '--token-auth-file=tokens.csv',
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccountKeys.publicKeyFile}`,
    `--service-account-signing-key-file=${serviceAccountKeys.privateKeyFile}`,
    ...(enableAdmissionPlugins.length > 0
      ? [`--enable-admission-plugins=${enableAdmissionPlugins.join(',')}`]
      : []),
    ...(disableAdmissionPlugins.length > 0
      ? [`--disable-admission-plugins=${disableAdmissionPlugins.join(',')}`]
      : []),
    ...featureGatesFlag(options.featureGates),
    ...(options.auditRules === undefined
      ? []
      : [
          `--audit-policy-file=${auditPolicy}`,
          `--audit-log-path=${auditLog}`,
          `--audit-log-maxsize=${auditLogLimit}`,
        ]),
  ];
}
