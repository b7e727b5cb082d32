import { kubernetesStamps } from './kubernetes-stamps.ts';
import { releases } from './releases.ts';
import { packageOf, programOf, suites } from './strangers/suites.ts';

/** Programs of one Go module, `../go/tools/<name>`, whose tool directives name them. */
export interface ToolSet {
  readonly name: ToolSetName;
  /** The tag, as the programs report it and the module file requires it. */
  readonly version: `v${number}.${number}.${number}`;
  readonly programs: readonly ToolName[];
  /** How long the first build takes, and what it needs, for users who wait for it. */
  readonly effort: string;
  /**
   * Our own sources in that module: paths below it, with `/`. Everything else comes from modules that
   * `go.mod` and `go.sum` pin.
   */
  readonly sources?: readonly string[];
  /** Packages whose tests are built, a program each. Default: the tools are built. */
  readonly tests?: readonly string[];
  /** Build tags. */
  readonly tags?: readonly string[];
  /** Built only when it is asked for by its name, not with `all`: what no step of CI needs. Default false. */
  readonly onDemand?: boolean;
  /** Variables that are set when the programs are linked. */
  readonly stamps: Readonly<Record<string, string>>;
}

export const toolSetNames = [
  'kubeconform',
  'kube-score',
  'helm',
  'prometheus',
  'e2e',
  'controller-runtime',
  'etcdutl',
  'api-tests',
  'csi-provisioner',
] as const;
export type ToolSetName = (typeof toolSetNames)[number];

export type ToolName =
  | 'kubeconform'
  | 'kube-score'
  | 'helm'
  | 'prometheus'
  | 'promtool'
  | 'e2e'
  | 'kube-scheduler'
  | 'etcdutl'
  | 'api-tests'
  | 'csi-provisioner'
  | `${string}.test`;

const seconds = 'a minute the first time';
const minutes = 'some minutes the first time';

export const toolSets: Readonly<Record<ToolSetName, ToolSet>> = {
  kubeconform: {
    name: 'kubeconform',
    version: 'v0.8.0',
    programs: ['kubeconform'],
    effort: seconds,
    stamps: { 'main.version': 'v0.8.0' },
  },
  'kube-score': {
    name: 'kube-score',
    version: 'v1.20.0',
    programs: ['kube-score'],
    effort: seconds,
    stamps: { 'main.version': 'v1.20.0' },
  },
  helm: {
    name: 'helm',
    version: 'v3.22.0',
    programs: ['helm'],
    effort: minutes,
    stamps: {
      'helm.sh/helm/v3/internal/version.version': 'v3.22.0',
      // What templates are rendered for where no cluster is asked: unstamped it is 1.20.
      'helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor': '1',
      'helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor': '36',
      'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor': '1',
      'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor': '36',
    },
  },
  prometheus: {
    name: 'prometheus',
    version: 'v3.13.5',
    programs: ['prometheus', 'promtool'],
    effort: minutes,
    // Targets are named in a file; the clients of all the clouds would double the time that it takes.
    tags: ['remove_all_sd'],
    stamps: { 'github.com/prometheus/common/version.Version': '3.13.5' },
  },
  e2e: {
    name: 'e2e',
    version: releases['1.36'].version,
    programs: ['e2e', 'kube-scheduler'],
    effort: 'some ten minutes the first time, less where the control plane of 1.36 was built before',
    sources: ['cmd/e2e/main.go'],
    stamps: kubernetesStamps(releases['1.36'].version),
  },
  'controller-runtime': {
    name: 'controller-runtime',
    version: 'v0.24.1',
    programs: suites.map(programOf),
    effort: minutes,
    tests: suites.map(packageOf),
    stamps: {},
  },
  // Of the release of etcd that the control plane of 1.36 has.
  etcdutl: {
    name: 'etcdutl',
    version: 'v3.6.8',
    programs: ['etcdutl'],
    effort: seconds,
    stamps: { 'go.etcd.io/etcd/api/v3/version.Version': '3.6.8' },
  },
  'api-tests': {
    name: 'api-tests',
    version: releases['1.36'].version,
    programs: ['api-tests'],
    effort: 'some ten minutes the first time, a minute where e2e was built before',
    sources: ['cmd/api-tests/main.go'],
    onDemand: true,
    stamps: kubernetesStamps(releases['1.36'].version),
  },
  'csi-provisioner': {
    name: 'csi-provisioner',
    version: 'v6.3.0',
    programs: ['csi-provisioner'],
    effort: 'some ten minutes the first time, less where the control plane of 1.36 was built before',
    onDemand: true,
    stamps: { 'main.version': 'v6.3.0' },
  },
};

/** What `all` stands for. */
export const neededToolSets = toolSetNames.filter((name) => toolSets[name].onDemand !== true);

/** The set that a program belongs to. */
export function toolSetOf(name: ToolName): ToolSetName {
  const found = toolSetNames.find((set) => toolSets[set].programs.includes(name));
  if (found === undefined) {
    throw new Error(`no set of tools has ${name}: name it in toolSets`);
  }
  return found;
}
